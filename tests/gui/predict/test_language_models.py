"""The section on language models: what is chosen is answered at once, what makes no sense is not offered."""

import pytest

from core.plan.edits import SetLines
from core.predict.llm.workload import USUAL_MODELS, Method, Split, WeightFormat
from tests.gui.conftest import QUIET
from tests.gui.predict.conftest import texts


@pytest.fixture
def models(document, show):
    document.open(QUIET)
    return show("models")


def test_it_answers_for_the_smallest_of_the_usual_models_and_lists_the_others(models):
    assert models.lead.text().startswith("Llama 3.1 8B, inference, 4 bit")
    assert "tokens/s" in models.lead.text()
    others = [row[0] for row in texts(models.table("Language models"))]
    assert len(others) == len(USUAL_MODELS) - 1 and others[0].startswith("Qwen3 32B")
    assert models.choices.context.value == 8192 and models.choices.users.value == 1


def test_another_model_is_asked_about_by_the_box_or_by_its_row(models):
    models.choices.ask_about("gpt-oss-120b")
    assert models.lead.text().startswith("GPT-OSS 120B")
    models.table("Language models").choose("llama-3.1-70b")
    assert models.lead.text().startswith("Llama 3.1 70B")
    assert models.choices.model.currentData() == "llama-3.1-70b"


def test_more_users_and_more_context_take_more_memory(models):
    def cache():
        return models.table("Memory of each card").figures.cell(0, 2).order

    before = cache()
    models.choices.users.slider.setValue(3)
    assert "8 users at once" in models.lead.text()
    assert cache() == pytest.approx(8 * before, rel=0.02)
    models.choices.context.slider.setValue(4)
    assert models.choices.context.value == 16384
    assert cache() == pytest.approx(16 * before, rel=0.02)


def test_a_task_offers_the_weights_and_splits_that_it_takes(models):
    choices = models.choices
    choices.method.setCurrentIndex(choices.method.findData(Method.QLORA))
    assert [choices.weights.itemData(row) for row in range(choices.weights.count())] == [WeightFormat.NF4]
    assert choices.split.findData(Split.TENSOR) == -1
    assert "QLoRA" in models.lead.text()
    choices.method.setCurrentIndex(choices.method.findData(Method.INFERENCE))
    assert choices.weights.currentData() == WeightFormat.NF4, "the choice stays where it can"
    assert choices.split.findData(Split.TENSOR) >= 0


def test_no_more_context_is_offered_than_the_model_takes(models):
    models.choices.context.slider.setValue(models.choices.context.slider.maximum())
    assert models.choices.context.value == 131_072
    models.choices.ask_about("llama-2-7b")
    assert models.choices.context.value == 4096
    assert models.lead.text().startswith("Llama 2 7B")


def test_a_build_without_gpus_says_what_is_missing(document, models):
    document.edit(SetLines("Empty", ()))
    assert models.currentWidget() is models.empty
    assert "language models" in models.empty.label.text()
