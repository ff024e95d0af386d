"""What is known about a build, as one value: prediction, findings, and how its parts are connected.

Everything is a pure function of build and conditions, worked out when first asked for and kept: rules, tables and
reports read the same prediction, links and wiring.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from core.parts.part import Part
from core.parts.price_guide import NO_GUIDE, PriceGuide
from core.parts.resale import KeptShare
from core.plan.build import Build
from core.plan.placement.links import CardLink
from core.plan.placement.risers import CardKey
from core.plan.placement.topology import Pair
from core.plan.wiring.wiring import Wiring
from core.predict.budget import BudgetUse, budget_use, budget_words, deciding_prices
from core.predict.conditions import Conditions
from core.predict.llm.prediction import ModelPrediction, predict_model
from core.predict.llm.workload import Workload, usual_workloads
from core.predict.ownership import CostOverYears, CostTerms, cost_over_years
from core.predict.power import SupplyLoad, psu_loads
from core.predict.prediction import Prediction, predict
from core.predict.price import PriceTotal, price_of
from core.predict.speed.networks import Network
from core.predict.speed.speed import BuildSpeed, predict_speed
from core.predict.work import model_work, training_work
from core.rules.context import RuleContext
from core.rules.engine import answers_in, check_in
from core.rules.finding import Finding


@dataclass(frozen=True)
class Assessment:
    """A build under these conditions; `guide` knows what parts like its own cost."""

    build: Build
    conditions: Conditions = field(default_factory=Conditions)
    guide: PriceGuide = field(default=NO_GUIDE, compare=False, repr=False)

    @cached_property
    def prediction(self) -> Prediction:
        """Power, temperature, noise and what follows from them."""
        return predict(self.build, self.conditions)

    @cached_property
    def price(self) -> PriceTotal:
        """What the parts cost, as far as it is known or can be estimated."""
        return price_of(self.build, self.guide)

    @property
    def budget(self) -> BudgetUse | None:
        """What the parts cost beside the budget of the build; None without one, or without a rate."""
        return budget_use(self.build.budget, self.price, self.guide.terms)

    @property
    def deciding_prices(self) -> tuple[str, ...]:
        """The parts on whose prices it depends whether the build keeps to its budget; mostly none."""
        return deciding_prices(self.build, self.price, self.budget, self.guide.terms)

    @property
    def budget_words(self) -> str:
        """The same in a line; empty without a budget."""
        return budget_words(self.budget, self.build.budget)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Of all rules, the most urgent first; questions that lack the same figure are one finding."""
        return check_in(self._context)

    @cached_property
    def answers(self) -> tuple[Finding, ...]:
        """What each rule says for itself: an UNKNOWN for every question that lacks a figure."""
        return answers_in(self._context)

    @property
    def links(self) -> Mapping[CardKey, CardLink]:
        """The link that each placed card really gets."""
        return self._context.links

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """How placed GPUs reach each other."""
        return self._context.pairs

    @property
    def wiring(self) -> Wiring:
        """Which plug feeds which socket."""
        return self._context.wiring

    @cached_property
    def psu_loads(self) -> Mapping[int, SupplyLoad]:
        """What each PSU of known power must bear, by its place in the wiring."""
        return psu_loads(self.build, self.wiring, self.prediction.limits)

    @cached_property
    def speed(self) -> BuildSpeed:
        """How fast the cards train each kind of network where they sit, as warm as they get."""
        return predict_speed(self.build, self.prediction.heat, card_links=self.links, guide=self.guide)

    def model(self, workload: Workload) -> ModelPrediction:
        """A language model on the cards where they sit, as warm as they get."""
        return predict_model(self.build, workload, self.prediction.heat, self.links)

    def cost(
        self,
        terms: CostTerms,
        work: Workload | Network = Network.TRANSFORMER,
        rented: Part | None = None,
        shares: Sequence[KeptShare] = (),
    ) -> CostOverYears:
        """What it costs over years at this work, beside a rented card; `shares` is what GPUs are sold for used."""
        if isinstance(work, Workload):
            done = model_work(self.model(work), rented)
        else:
            done = training_work(self.speed.of(work), rented)
        return cost_over_years(self.prediction, terms, done, self.guide, shares)

    @cached_property
    def usual_models(self) -> tuple[ModelPrediction, ...]:
        """Language models of several sizes in 4 bit, the smallest first; the first stands for all."""
        return tuple(map(self.model, usual_workloads()))

    @cached_property
    def _context(self) -> RuleContext:
        return RuleContext(self.build, prediction=self.prediction)


def assess(build: Build, conditions: Conditions, guide: PriceGuide = NO_GUIDE) -> Assessment:
    """With the findings worked out, which takes most of the time: for a thread beside the window."""
    assessment = Assessment(build, conditions, guide)
    _ = assessment.findings
    return assessment
