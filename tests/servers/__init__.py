"""Servers on the loopback that speak the wires of two model APIs, and what answers behind them."""
