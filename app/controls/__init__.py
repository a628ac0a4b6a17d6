"""Groups of widgets made from settings."""
