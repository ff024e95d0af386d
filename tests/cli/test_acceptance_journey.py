"""From a plan to what is handed over: a machine is burned in, a card fails, and every paper tells the same of it."""

import json
from pathlib import Path
from typing import Any

import pytest

PLAN = "two-rtx-5090-desktop"
CAUSE = "GPU 1: 1 uncorrectable memory error"


@pytest.mark.process
def test_a_failing_card_goes_from_the_plan_to_a_sealed_certificate_and_its_rma_pack(
    process: Any, rigwright: Any, tmp_path: Path
) -> None:
    ended = process(
        *("burn", "--build", PLAN, "--simulate", "plan,fault=ecc@1:3s", "--profile", "quick-test", "--minutes", "0.2"),
        *("--customer", "Lab 7", "--order", "A-12", "--json"),
    )
    assert ended.returncode == 1, ended.stderr
    document = json.loads(ended.stdout)
    (cause,) = [cause for cause in document["causes"] if cause["outcome"] == "FAIL"]
    assert cause["text"].startswith(CAUSE)
    assert cause["devices"] == ["SIM-1-geforce-rtx-5090"]
    healthy = [verdict for verdict in document["verdicts"] if verdict["device_id"].startswith("SIM-0")]
    assert {verdict["outcome"] for verdict in healthy} != {"FAIL"}

    certificate, pack = tmp_path / "certificate.pdf", tmp_path / "card.zip"
    assert rigwright("facts", "1", "--tester", "J. Doe").returncode == 0
    assert rigwright("certificate", "1", "-o", str(certificate)).returncode == 0
    assert rigwright("rma", "1", "--gpu", "1", "-o", str(pack)).returncode == 0
    for sealed in ("1", str(certificate), str(pack)):
        verified = rigwright("verify", sealed)
        assert verified.returncode == 0, verified.stdout + verified.stderr
        assert "is intact" in verified.stdout

    content = bytearray(certificate.read_bytes())
    content[len(content) // 2] ^= 1
    certificate.write_bytes(content)
    changed = rigwright("verify", str(certificate))
    assert changed.returncode == 1
    assert "changed" in changed.stdout
