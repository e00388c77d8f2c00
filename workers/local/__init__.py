"""The embedded Postgres and Redis, and the fleet of `bullpen up`."""
