"""The writer and the reviewer that need no model: quotations, and a judgement of every row by its words."""

from collections.abc import Mapping, Sequence

from scholarmind.answer import Draft, Finding, Review
from scholarmind.citing.keys import assign
from scholarmind.model import Evidence
from scholarmind.plan import Plan
from scholarmind.steps.review import review
from scholarmind.writing.compose import compose
from scholarmind.writing.spans import short_answers
from scholarmind.writing.support import Coverage, support

_JUDGED = 10  # passages of a row


class ExtractiveWriter:
    """Quotes, and writes nothing itself but headings and what code can work out from numbers."""

    def short_answers(self, question: str, evidence: Sequence[Evidence], rarity: Mapping[str, float]) -> Sequence[str]:
        """Return up to three short answers from the evidence."""
        return short_answers(question, evidence, rarity)

    def write(self, plan: Plan, findings: Sequence[Finding], rarity: Mapping[str, float]) -> Draft:
        """Return the answer."""
        return compose(plan, findings, assign, rarity)


class KeylessReviewer:
    """Judges each row by how well its evidence covers what it asks."""

    def review(
        self, plan: Plan, findings: Sequence[Finding], draft: Draft | None, rarity: Mapping[str, float]
    ) -> Review:
        """Return how complete the answer is, or would be."""
        covered: dict[str, Coverage] = {}
        for finding in findings:
            if finding.part.role == "find" and not finding.error:
                for label, question in zip(finding.part.row_ids, finding.rows, strict=True):
                    own = [item for item in finding.evidence if label in item.found_by]
                    covered[label] = support(question, own[:_JUDGED], rarity)
        if draft is None:
            return review(plan, findings, covered)
        unconfirmed = any(claim.status == "unsupported" for claim in draft.claims)
        return review(plan, findings, covered, draft.conflicts, unconfirmed=unconfirmed)
