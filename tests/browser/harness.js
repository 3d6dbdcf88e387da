// A model as anywidget hands it out, with nothing behind it, and what tests need to move it.

import { initialize, install, renderModel } from "./places.js";

class FakeModel {
  constructor(state) {
    this.state = { ...state };
    this.callbacks = new Map();
    this.saved = 0;
    this.sent = [];
  }

  get(name) {
    return this.state[name];
  }

  set(name, value) {
    if (JSON.stringify(this.state[name]) === JSON.stringify(value)) return;
    this.state[name] = value;
    this.tell(`change:${name}`);
  }

  on(name, callback) {
    this.callbacks.set(name, [...(this.callbacks.get(name) ?? []), callback]);
  }

  off(name, callback) {
    const kept = (this.callbacks.get(name) ?? []).filter((one) => one !== callback);
    this.callbacks.set(name, kept);
  }

  save_changes() {
    this.saved += 1;
  }

  send(message) {
    this.sent.push(message);
  }

  tell(name, message) {
    for (const callback of [...(this.callbacks.get(name) ?? [])]) callback(message);
  }

  // As a message from Python does it: everything is set, then everything is told.
  receive(state) {
    Object.assign(this.state, state);
    for (const name of Object.keys(state)) this.tell(`change:${name}`);
  }

  get listening() {
    return [...this.callbacks.values()].flat().length;
  }
}

window.show = (state) => {
  const el = document.createElement("div");
  const host = new AbortController();
  const model = new FakeModel(state);
  document.querySelector("#place").append(el);
  const clean = renderModel({ model, el, signal: host.signal });
  return Object.assign(window, { model, el, host, clean });
};

// A notebook of so many cells, as JupyterLab draws it and as it tells a model of it.
window.openNotebook = (path, ids) => {
  const panel = document.createElement("div");
  panel.className = "jp-NotebookPanel";
  panel.id = `panel-${path}`;
  const tab = document.createElement("div");
  Object.assign(tab.dataset, { id: panel.id });
  tab.title = `Name: ${path}\nPath: ${path}`;
  const cells = ids.map((_, index) => {
    const cell = document.createElement("div");
    cell.className = "jp-Cell";
    cell.dataset.windowedListIndex = String(index);
    return cell;
  });
  panel.append(...cells);
  document.querySelector("#place").append(tab, panel);
  const context = { path, model: { cells: { get: (index) => ({ id: ids[index] }) } } };
  return { cells, manager: { kernel: { id: `kernel of ${path}` }, context } };
};
window.connect = (state, manager = {}) => {
  const model = new FakeModel(state);
  model.widget_manager = manager;
  return Object.assign(model, { end: initialize({ model }) });
};
Object.assign(window, { FakeModel, initialize, install, renderModel, ready: true });
