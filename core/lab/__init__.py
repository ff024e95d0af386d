"""Tools beside the product: measuring a card, fitting a calibration, validation, data sets of others."""
