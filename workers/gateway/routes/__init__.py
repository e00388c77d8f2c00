"""The routes of the gateway, a module for each resource."""
