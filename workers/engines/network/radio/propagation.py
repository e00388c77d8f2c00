"""Antennas and path loss, from published models.

- Antenna pattern: 3GPP TR 36.814 V9.2.0, table A.2.1.1-2, horizontal and vertical pattern and their combination.
- Path loss: 3GPP TR 36.873 V12.7.0, table 7.2-1, 3D-UMa NLOS (the model of ITU-R M.2135 for urban macro cells), with streets of 20 m and
  buildings of 20 m. It depends on the height of the base station, which overshoot is about. There is no terrain.
- Shadow fading: log-normal, the same for the sectors of a site; its correlation over distance is made of plane waves.
"""

import numpy as np
from numpy.typing import NDArray

Single = NDArray[np.float32]

ANTENNA_GAIN_DBI = 17.0
"""ITU-R M.2135, table 8-2: base station antenna of urban macro cells, cable loss included."""
HORIZONTAL_BEAM_DEG = 70.0
FRONT_TO_BACK_DB = 25.0
VERTICAL_BEAM_DEG = 10.0
VERTICAL_SIDE_LOBE_DB = 20.0

USER_HEIGHT_M = 1.5
STREET_M = 20.0
BUILDING_M = 20.0

SUBCARRIERS = 1_200
"""Of 20 MHz: power is spread over them, and RSRP is the power of a single one."""

NEAREST_M = 10.0
"""The model holds from 10 m on."""

SHADOW_WAVES = 8
SHADOW_LENGTH_M = 50.0
"""Correlation distance of 3D-UMa NLOS (TR 36.873, table 7.3-6)."""


def path_loss_db(distance_m: Single, height_m: Single, frequency_mhz: float) -> Single:
    """3D-UMa NLOS. `distance_m` is along the line of sight."""
    log_height = np.log10(height_m)
    fixed = 161.04 - 7.1 * np.log10(STREET_M) + 7.5 * np.log10(BUILDING_M) + 20 * np.log10(frequency_mhz / 1000)
    fixed -= 3.2 * np.log10(17.625) ** 2 - 4.97 + 0.6 * (USER_HEIGHT_M - 1.5)
    by_height = -(24.37 - 3.7 * (BUILDING_M / height_m) ** 2) * log_height
    return (fixed + by_height + (43.42 - 3.1 * log_height) * (np.log10(np.maximum(distance_m, NEAREST_M)) - 3)).astype(np.float32)


def horizontal_loss_db(off_axis_deg: Single) -> Single:
    """Loss for a direction `off_axis_deg` from the azimuth, wrapped to half a turn."""
    off = (off_axis_deg + 180.0) % 360.0 - 180.0
    return np.minimum(12 * (off / HORIZONTAL_BEAM_DEG) ** 2, FRONT_TO_BACK_DB).astype(np.float32)


def vertical_loss_db(below_horizon_deg: Single, tilt_deg: Single) -> Single:
    """Loss for a direction `below_horizon_deg` downwards."""
    return np.minimum(12 * ((below_horizon_deg - tilt_deg) / VERTICAL_BEAM_DEG) ** 2, VERTICAL_SIDE_LOBE_DB).astype(np.float32)


def antenna_gain_dbi(horizontal_db: Single, vertical_db: Single) -> Single:
    """The combined pattern: losses add up, to the front-to-back ratio at most."""
    return (ANTENNA_GAIN_DBI - np.minimum(horizontal_db + vertical_db, FRONT_TO_BACK_DB)).astype(np.float32)


def shadow_waves(sites: int, seed: int) -> tuple[Single, Single]:
    """Wave vectors, shape (sites, waves, 2), and phases, shape (sites, waves)."""
    random = np.random.default_rng([seed, 36_873])
    vectors = random.normal(0.0, 1.0 / SHADOW_LENGTH_M / 2, (sites, SHADOW_WAVES, 2))
    return vectors.astype(np.float32), random.uniform(0, 2 * np.pi, (sites, SHADOW_WAVES)).astype(np.float32)


def shadow_fading_db(east: Single, north: Single, waves: tuple[Single, Single], deviation_db: float) -> Single:
    """Shadow fading of points for some sites: shape (points, sites)."""
    vectors, phases = waves
    total = np.zeros((len(east), len(vectors)), dtype=np.float32)
    for wave in range(SHADOW_WAVES):
        total += np.cos(np.outer(east, vectors[:, wave, 0]) + np.outer(north, vectors[:, wave, 1]) + phases[:, wave])
    return total * np.float32(deviation_db * np.sqrt(2 / SHADOW_WAVES))
