"""Take questions apart by rules, without a model."""
