"""A correction that takes the place of earlier ones."""

import pytest

from core.parts.own import correction
from core.platform.errors import BadInput


def test_a_replaced_correction_gives_back_what_it_no_longer_names(catalogue):
    catalogue.correct({"asus-turbo-3090": correction({"power_limit_w": 320, "memory_gb": 48})})
    part = catalogue.replace_correction("asus-turbo-3090", correction({"power_limit_w": 330}))
    assert (part.spec.power_limit_w, part.spec.memory_gb) == (330, 24)
    assert catalogue.part("asus-turbo-3090") == part
    assert catalogue.beneath("asus-turbo-3090").spec.power_limit_w == 350


def test_a_replaced_correction_that_cannot_be_leaves_the_earlier_one(catalogue):
    catalogue.correct({"asus-turbo-3090": correction({"power_limit_w": 320})})
    with pytest.raises(BadInput, match="power limit"):
        catalogue.replace_correction("asus-turbo-3090", correction({"power_limit_w": 99_999}))
    assert catalogue.part("asus-turbo-3090").spec.power_limit_w == 320


def test_a_part_of_ones_own_has_nothing_to_correct(catalogue, own_part):
    catalogue.save_user_part(own_part())
    with pytest.raises(BadInput, match="no shipped or imported part"):
        catalogue.replace_correction("own-card", correction({"length_mm": 280}))
    assert catalogue.beneath("own-card") is None
