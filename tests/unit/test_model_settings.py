"""The settings of models: read, refused with their names, and never shown when they are secret."""

import pytest

from workers.cli.main import main
from workers.errors import ConfigurationError
from workers.settings import Settings, load_settings


def read(monkeypatch: pytest.MonkeyPatch, **variables: str) -> Settings:
    for name, value in variables.items():
        monkeypatch.setenv(f"BULLPEN_{name}", value)
    load_settings.cache_clear()
    try:
        return load_settings()
    finally:
        load_settings.cache_clear()


def test_each_role_may_have_its_own_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """T32: whichever vendor's, behind any server of the OpenAI protocol."""
    known = read(monkeypatch, MODEL="qwen3-8b", MODEL_ROLES="diagnoser=qwen3-32b, classifier = qwen3-4b")

    assert [known.model_of(role) for role in ("diagnoser", "classifier", "analyst")] == ["qwen3-32b", "qwen3-4b", "qwen3-8b"]
    assert known.has_model


def test_without_a_model_every_role_works_by_its_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a Compose file hands on what is not set: empty."""
    known = read(monkeypatch, MODEL="", MODEL_API_KEY="", MODEL_ROLES="", MODEL_FALLBACK="", MODEL_PRICES="", JOB_TOKENS="")

    assert not known.has_model
    assert known.model_of("diagnoser") is None


def test_prices_and_temperature_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    known = read(monkeypatch, MODEL_PRICES="gpt-5-mini=0.25/2,local=0/0", MODEL_TEMPERATURE="0.2", MODEL_BASE_URL="http://h:1/v1/")

    assert known.model_prices == {"gpt-5-mini": (0.25, 2.0), "local": (0.0, 0.0)}
    assert known.model_temperature == 0.2
    assert known.model_base_url == "http://h:1/v1"


@pytest.mark.parametrize("variables", [{}, {"MODEL_TEMPERATURE": "none"}, {"MODEL_TEMPERATURE": ""}])
def test_no_temperature_is_the_default(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    assert read(monkeypatch, **variables).model_temperature is None


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"MODEL_ROLES": "boss=gpt"}, "BULLPEN_MODEL_ROLES: no such role: boss; the roles are classifier"),
        ({"MODEL_ROLES": "diagnoser"}, "BULLPEN_MODEL_ROLES: 'diagnoser' is not of the form role=model"),
        ({"MODEL_PRICES": "gpt=2"}, "BULLPEN_MODEL_PRICES: gpt=2 is not of the form model=IN/OUT"),
        ({"MODEL_PRICES": "gpt=-1/2"}, "BULLPEN_MODEL_PRICES: gpt=-1/2: a price is not negative"),
        ({"MODEL_PRICES": "gpt=nan/2"}, "BULLPEN_MODEL_PRICES"),
        ({"MODEL_BASE_URL": "localhost:8000"}, "BULLPEN_MODEL_BASE_URL: must begin with http"),
        ({"MODEL_STRUCTURED": "yaml"}, "BULLPEN_MODEL_STRUCTURED"),
        ({"MODEL_RETRIES": "100"}, "BULLPEN_MODEL_RETRIES"),
        ({"MODEL_REQUESTS_PER_MINUTE": "0"}, "BULLPEN_MODEL_REQUESTS_PER_MINUTE"),
        ({"MODEL_OUTPUT_TOKENS": "30000"}, "BULLPEN_MODEL_OUTPUT_TOKENS must leave half"),
        ({"JOB_TOKENS": "-1"}, "BULLPEN_JOB_TOKENS"),
        ({"ENGINE": "llm"}, "BULLPEN_ENGINE=llm needs a model"),
    ],
)
def test_a_wrong_setting_is_named_with_what_it_takes(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], says: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(monkeypatch, **variables)

    assert says in str(caught.value)


def test_the_key_is_never_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """F10."""
    key = "sk-very-secret-0815"
    known = read(monkeypatch, MODEL="gpt", MODEL_API_KEY=key, MODEL_ROLES="diagnoser=big", MODEL_PRICES="big=1/2")
    monkeypatch.setattr("sys.argv", ["bullpen", "settings", "--json"])
    monkeypatch.setattr("workers.cli.main.leave", lambda code: None)  # this process goes on
    with pytest.raises(SystemExit):
        main()

    assert known.model_api_key == key
    assert key not in repr(known)
    told = capsys.readouterr()
    assert "BULLPEN_MODEL_API_KEY" in told.out
    assert "diagnoser=big" in told.out
    assert "big=1/2" in told.out
    assert key not in told.out + told.err
