"""The radio model: antennas, path loss, levels in every grid, load, and the indicators that follow."""

from workers.engines.network.radio.indicators import State, measure
from workers.engines.network.radio.layout import Layout, make_network
from workers.engines.network.radio.network import Area, Cells, Network

__all__ = ["Area", "Cells", "Layout", "Network", "State", "make_network", "measure"]
