"""Several measurements that are shown together."""

from collections.abc import Iterable, Sequence
from typing import overload

from shape_magic.shape import Measurement

__all__ = ["Measurements"]


class Measurements(Sequence[Measurement]):
    """The measurements of a list of texts, in its order, each with the name that it shows under."""

    # No tuple: IPython prints a tuple its own way, whatever its display bundle says.

    def __init__(
        self, measurements: Iterable[Measurement], *, names: Iterable[str] | None = None
    ) -> None:
        self._measurements = tuple(measurements)
        if names is None:
            names = (f"item {place}" for place in range(len(self._measurements)))
        self.names = tuple(names)

    @overload
    def __getitem__(self, index: int) -> Measurement: ...
    @overload
    def __getitem__(self, index: slice) -> "Measurements": ...
    def __getitem__(self, index: int | slice) -> "Measurement | Measurements":
        if isinstance(index, slice):
            return Measurements(self._measurements[index], names=self.names[index])
        return self._measurements[index]

    def __len__(self) -> int:
        return len(self._measurements)

    def __repr__(self) -> str:
        return f"<Measurements of {len(self)} texts>"
