"""Ways in which people write how many, what, and for how much."""

import pytest

from core.parts.catalogue import Catalogue
from core.present.share.list_lines import ListLine, State
from core.present.share.part_list import NoPart, read_part_list


def lines_of(text: str, catalogue: Catalogue) -> tuple[ListLine, ...]:
    """What is read, nothing where the text names no part."""
    try:
        return read_part_list(text, catalogue).lines
    except NoPart:
        return ()


@pytest.mark.parametrize(
    "text",
    [
        "GPU: 4 * NVIDIA RTX A6000",
        "GPU: **4 * NVIDIA RTX A6000**",
        "GPU: NVIDIA RTX A6000 *4",
        "GPU: 4 NVIDIA RTX A6000",
        "4 NVIDIA RTX A6000",
        "NVIDIA RTX A6000\t4\t$4,000.00",
        "Qty  Description          Unit       Amount\n4    NVIDIA RTX A6000     $4,000.00  $16,000.00\n",
        "Vector: NVIDIA RTX A6000 x4, AMD EPYC 7702P",
        "NVIDIA RTX A6000 €4000 x 4",
        "GPU: NVIDIA RTX A6000 x4 (192GB VRAM)",
        "Item: NVIDIA RTX A6000\nQty: 4\nPrice: $4,200",
        'Type,Item,Price\nGPU,NVIDIA RTX A6000 x4,"$16,000.00"\nPSU,Corsair AX1600i,$549\n',
        "NVIDIA RTX A6000\nQuantity: 4\n$4,000.00\nSold by: Best Buy\nCorsair AX1600i\nQty: 1\n",
        "[x] 4x NVIDIA RTX A6000",
        "Qty,Item\n4,NVIDIA RTX A6000\n1,AMD EPYC 7702P\n2,Corsair AX1600i\n",
    ],
)
def test_how_many_is_read(catalogue: Catalogue, text: str) -> None:
    line = lines_of(text, catalogue)[0]
    assert line.part is not None and (line.part.id, line.count) == ("nvidia-rtx-a6000", 4)


@pytest.mark.parametrize(
    ("text", "count", "part_id"),
    [
        ("Dual RTX 3090", 2, "nvidia-rtx-3090-founders-edition"),
        ("GPU: Dual RTX 3090 24GB (NVLinked)", 2, "nvidia-rtx-3090-founders-edition"),
        ("GPU: dual 3090 FE", 2, "nvidia-rtx-3090-founders-edition"),
        ("triple 3090", 3, "nvidia-rtx-3090-founders-edition"),
        ("GPU: Twin 4090s", 2, "nvidia-rtx-4090-founders-edition"),
        ("quad A6000", 4, "nvidia-rtx-a6000"),
        ("A pair of RTX A6000", 2, "nvidia-rtx-a6000"),
        ("2 x 3090 (NVLink)", 2, "nvidia-rtx-3090-founders-edition"),
        ("2 x 3090 with NVLink", 2, "nvidia-rtx-3090-founders-edition"),
        ("GPU: dual Tesla P40", 2, "nvidia-tesla-p40"),
        ("Dual EPYC 7742", 2, "amd-epyc-7742"),
    ],
)
def test_a_number_word_before_a_chip_is_a_count(catalogue: Catalogue, text: str, count: int, part_id: str) -> None:
    (line,) = lines_of(text, catalogue)
    assert line.part is not None and (line.part.id, line.count) == (part_id, count)


@pytest.mark.parametrize(
    "text",
    [
        "ASUS Dual RTX 4070",
        "GPU: Dual GeForce RTX 4060 OC",
        "GPU: ASUS Dual GeForce RTX 4070 SUPER EVO OC",
        "RAM: Dual rank DDR4 32GB",
        "RAM: Quad-channel DDR4-3200 64GB",
    ],
)
def test_a_number_word_of_a_product_line_is_no_count(catalogue: Catalogue, text: str) -> None:
    (line,) = lines_of(text, catalogue)
    assert (line.count, line.part) == (1, None)


def test_cards_that_are_counted_and_then_named_are_not_taken_twice(catalogue: Catalogue) -> None:
    cards = "- NVIDIA GeForce RTX 3090 Founders Edition\n- NVIDIA GeForce RTX 3090 Founders Edition\n"
    first, *others = lines_of(f"CPU: AMD EPYC 7702P\nGPU: Dual RTX 3090\n{cards}", catalogue)[1:]
    assert (first.state, first.count, first.part) == (State.SIMILAR, 2, None) and first.candidates
    assert [(line.state, line.count) for line in others] == [(State.EXACT, 1)] * 2


FE_3090 = "RTX 3090 FE"


@pytest.mark.parametrize(
    ("text", "amount", "assumed"),
    [
        (f"GPU: 2x {FE_3090} $1,400", 700, True),
        (f"GPU: {FE_3090} $1,400", 1400, False),
        (f"GPU: 2x {FE_3090} $700 each", 700, False),
        (f"GPU: 2x {FE_3090} - $1,400 total", 700, False),
        (f"GPU: 2x {FE_3090} ($1,400 for both)", 700, False),
        (f"GPU: 2x {FE_3090} $700\nCPU: AMD EPYC 7532 $500\nTotal: $1,900", 700, False),
        (f"GPU: 2x {FE_3090} $1,400\nCPU: AMD EPYC 7532 $500\nTotal: $1,900", 700, False),
        (f"{FE_3090}\nQuantity: 2\n$700.00\nSold by: Best Buy", 700, False),
        (f"{FE_3090}\n$700.00\nQty: 2", 700, False),
        (f"{FE_3090}\nQuantity: 2\n$1,400.00\nCorsair AX1600i\n$500\nTotal: $1,900", 700, False),
        (f"GPUs (x2): {FE_3090}\n$1,400.00", 700, True),
        (f"Item: {FE_3090}\nQty: 2\nUnit price: $700", 700, False),
        (f"Item: {FE_3090}\nQty: 2\nPrice each: $700", 700, False),
        (f"Item: {FE_3090}\nQty: 2\nPrice: $1,400", 700, True),
        (f"Part | Qty | Price\n--|--|--\n{FE_3090} | 2 | $1,400", 700, True),
        (f"Part | Qty | Price | Total\n--|--|--|--\n{FE_3090} | 2 | $700 | $1,400", 700, False),
        (f"Part | Qty | Total price\n--|--|--\n{FE_3090} | 2 | $1,400", 700, False),
        (f"Part | Qty | Price each\n--|--|--\n{FE_3090} | 2 | $700", 700, False),
    ],
)
def test_a_price_that_does_not_say_of_how_many_it_is_is_assumed_to_be_of_all(
    catalogue: Catalogue, text: str, amount: float, assumed: bool
) -> None:
    line = lines_of(text, catalogue)[0]
    assert line.price is not None and (line.price.amount, line.price_assumed) == (amount, assumed)
    assert ("that of all 2" in line.price_words) == assumed


def test_numbers_that_count_the_rows_are_no_counts(catalogue: Catalogue) -> None:
    lines = lines_of("1 AMD EPYC 7702P\n2 NVIDIA RTX A6000\n3 Corsair AX1600i\n", catalogue)
    assert [(line.count, line.part is not None) for line in lines] == [(1, True)] * 3


@pytest.mark.parametrize(
    ("text", "part_id"),
    [
        ("PDU: APC AP7941", "apc-ap7941"),
        ("Rack PDU | Tripp Lite PDU1230 | 1 | $250", "tripp-lite-pdu1230"),
        ("CPU AMD EPYC 7702P $650", "amd-epyc-7702p"),
        ("TARJETA GRÁFICA NVIDIA RTX A6000 4000€", "nvidia-rtx-a6000"),
        ("Placa Madre: ASRock Rack ROMED8-2T", "asrock-rack-romed8-2t"),
        ("видеокарта: NVIDIA RTX A6000", "nvidia-rtx-a6000"),
        ("电源: 海盗船 AX1600i", "corsair-ax1600i"),
        ("PSU1: AX1600i", "corsair-ax1600i"),
        ("PSU #2 AX1600i", "corsair-ax1600i"),
        ("RTX 3090 Founders £650", "nvidia-rtx-3090-founders-edition"),
    ],
)
def test_a_head_in_any_language_and_without_a_colon_is_read(catalogue: Catalogue, text: str, part_id: str) -> None:
    line = lines_of(text, catalogue)[0]
    assert line.part is not None and line.part.id == part_id, line


def test_what_a_label_that_is_no_head_names_is_in_doubt(catalogue: Catalogue) -> None:
    (line,) = lines_of("Recommended: NVIDIA RTX A6000\nMB: ASRock Rack ROMED8-2T", catalogue)[:1]
    assert line.part is None and [part.id for part in line.candidates] == ["nvidia-rtx-a6000"]


@pytest.mark.parametrize("head", ["Old GPU", "Previous GPU", "Sold GPU", "My old rig"])
def test_what_is_no_longer_in_the_machine_is_no_part(catalogue: Catalogue, head: str) -> None:
    lines = lines_of(f"CPU: AMD EPYC 7702P\n{head}: NVIDIA RTX A6000", catalogue)
    assert [line.part.id for line in lines if line.part] == ["amd-epyc-7702p"]


@pytest.mark.parametrize("charge", ["Shipping", "Tax 8.25%", "Subtotal", "VAT", "Versandkosten"])
def test_what_is_paid_besides_parts_is_no_part(catalogue: Catalogue, charge: str) -> None:
    table = f"Item,Model,Qty,Price\n1,AMD EPYC 7702P,1,$650\n,{charge},,$99\n"
    assert [line.part is not None for line in lines_of(table, catalogue)] == [True]


def test_a_price_in_words_for_a_currency(catalogue: Catalogue) -> None:
    (line,) = lines_of("NVIDIA RTX A6000 - 24000 yuan", catalogue)
    assert line.price is not None and (line.price.amount, line.price.currency) == (24000, "CNY")


def test_parts_below_a_line_that_names_the_machine_are_not_lost(catalogue: Catalogue) -> None:
    lines = lines_of("My specs:\n\nSome Board Z999 Motherboard $99\nAMD EPYC 7702P\n", catalogue)
    assert [line.state for line in lines] == [State.UNKNOWN, State.EXACT]


def test_a_sentence_with_a_price_is_no_lost_part(catalogue: Catalogue) -> None:
    sentence = "The cards I had before were louder. I paid $1,600 for each of the new ones."
    assert len(lines_of(f"CPU: AMD EPYC 7702P\n{sentence}", catalogue)) == 1


@pytest.mark.parametrize(
    ("text", "amount", "currency"),
    [
        ("マザーボード: ASRock Rack ROMED8-2T ￥98,000", 98000, "JPY"),
        ("主板: ASRock Rack ROMED8-2T ￥4,800", 4800, "CNY"),
        ("ASRock Rack ROMED8-2T €500 x 1", 500, "EUR"),
    ],
)
def test_the_currency_is_the_lists(catalogue: Catalogue, text: str, amount: float, currency: str) -> None:
    (line,) = lines_of(text, catalogue)
    assert line.part is not None and line.price is not None
    assert (line.price.amount, line.price.currency) == (amount, currency)


def test_a_price_without_a_rate_is_no_part_of_the_name(catalogue: Catalogue) -> None:
    (line,) = lines_of("Материнская плата: ASRock Rack ROMED8-2T - 52 500 руб.", catalogue)
    assert line.part is not None and line.price is None


@pytest.mark.parametrize("text", ["RAM: 64GB DDR4-3200 RDIMM x8", "RAM: 64GB x 8 DDR4-3200 RDIMM"])
def test_modules_without_a_maker_are_of_no_maker(catalogue: Catalogue, text: str) -> None:
    (line,) = lines_of(text, catalogue)
    assert line.part is None and len({part.maker for part in line.candidates}) > 1
    assert 8 in (line.count, line.modules)


def test_a_question_is_no_part(catalogue: Catalogue) -> None:
    lines = lines_of("What is your budget? $5000\nCPU: AMD EPYC 7702P", catalogue)
    assert len(lines) == 1


@pytest.mark.parametrize("model", ["5950X", "9950X", "3975WX", "2990WX"])
def test_a_model_that_ends_as_a_count_does_is_no_count(catalogue: Catalogue, model: str) -> None:
    lines = lines_of(f"CPU: {model}\nGPU: NVIDIA RTX A6000", catalogue)
    assert [(line.count, line.state) for line in lines] == [(1, State.EXACT)] * 2


def test_a_figure_in_a_table_without_heads_is_a_count_only_beside_a_price(catalogue: Catalogue) -> None:
    assert lines_of("CPU\tAMD EPYC 7702P\t64\nGPU\tNVIDIA RTX A6000\t48\n", catalogue)[1].count == 1


def test_a_line_that_begins_as_a_former_part_does_hides_nothing_below_it(catalogue: Catalogue) -> None:
    lines = lines_of("Sold by: Best Buy\nOld stock from a friend\nCorsair AX1600i\nAMD EPYC 7702P", catalogue)
    assert [line.part.id for line in lines if line.part] == ["corsair-ax1600i", "amd-epyc-7702p"]


@pytest.mark.parametrize(
    "name", ["EPYC 7B12", "Epyc 7742 ES", "Xeon 8259CL", "Platinum 8358 QS", "3960X", "7900X", "9960X", "Ryzen 7700"]
)
def test_a_cpu_that_its_name_does_not_tell_is_in_doubt(catalogue: Catalogue, name: str) -> None:
    (line,) = lines_of(f"CPU: {name}", catalogue)
    assert line.part is None
