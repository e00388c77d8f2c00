"""`bullpen metrics`: metrics servers, and PromQL on them."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from contracts.metric_sources import MetricsLimits, MetricsSource
from contracts.statements import code, count, milliseconds, names, say, seconds
from contracts.statements import name as identifier
from workers.cli.context import console, errors, print_json
from workers.cli.display import shown
from workers.cli.languages import ask_for
from workers.cli.lines import table
from workers.cli.list_words import ListLanguage, address_here, list_words, owners_shown
from workers.cli.named_secrets import Url, with_url
from workers.cli.reach.doing import do
from workers.cli.telling import tell
from workers.cli.typed import contract_of, seconds_of
from workers.cli.voice import voice_in
from workers.errors import InvalidInput
from workers.operations import metrics as operations
from workers.prometheus.addresses import is_reachable_here, variable
from workers.prometheus.view import show_metrics
from workers.saying.terminal import print_document

app = typer.Typer(add_completion=False, help="Metrics servers: Prometheus and what speaks its API.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Name = Annotated[str, typer.Argument(help="The server's name: lower case letters, digits and _.")]


@app.command()
def add(
    name: Name,
    url: Url = None,
    timeout_s: Annotated[float, typer.Option("--timeout", help="Seconds that a query may take.")] = MetricsLimits().timeout_s,
    series: Annotated[int, typer.Option(help="Most series in a result.")] = MetricsLimits().series,
    points: Annotated[int, typer.Option(help="Most points in a result.")] = MetricsLimits().points,
    days: Annotated[float, typer.Option(help="Longest time that a query looks back, in days.")] = MetricsLimits().span_s / 86_400,
    owner: Annotated[list[str] | None, typer.Option("--owner", help="Who may query it; repeatable. Default: everyone.")] = None,
    as_json: AsJson = False,
) -> None:
    """Check a metrics server, and add it.

    Its address is a secret: BULLPEN_METRICS_<NAME>_URL in the secrets file (`bullpen secrets`) or in the environment, here and in every
    worker that may query it. BULLPEN_METRICS_<NAME>_TOKEN and BULLPEN_METRICS_<NAME>_TENANT are sent to it where they are set.
    """
    if url is not None:
        contract_of(MetricsSource, name=name)  # a name that is refused has no secret
        with with_url(variable(name), url):
            add(name, None, timeout_s, series, points, days, owner, as_json)
        return
    limits = {"timeout_s": timeout_s, "series": series, "points": points, "span_s": round(days * 86_400)}
    metrics = contract_of(MetricsSource, name=name, limits=limits, owners=owner or [])
    do(operations.add_metrics, metrics)
    if as_json:
        print_json(metrics.to_json())
        return
    tell(say("said.metrics.added", metrics=identifier(name)))
    tell(say("said.try", command=identifier(f"bullpen metrics run up --metrics {name}")))


@app.command("list")
def list_(language: ListLanguage = "en", as_json: AsJson = False) -> None:
    """List the metrics servers with their limits. Addresses are never shown."""
    words, found = list_words(language), do(operations.metrics)
    if as_json:
        print_json([metrics.to_json() for metrics in found])
        return
    if not found:
        tell(say("lists.no.metrics", command=code("bullpen metrics add NAME")))
        return
    listed = table(words.word("name"), *(words.wide(column) for column in ("owners", "limits", "address_here")))
    for metrics in found:
        most = metrics.limits
        limits = say(
            "lists.limits.metrics",
            time=seconds(most.timeout_s),
            series=count(most.series, exact=True),
            points=count(most.points, exact=True),
            span=seconds(most.span_s),
        )
        here = address_here(variable(metrics.name), words, is_needed=True, is_set=is_reachable_here(metrics))
        listed.add_row(shown(metrics.name), owners_shown(metrics.owners, words), words(limits), here)
    console.print(listed)


@app.command()
def remove(name: Name, as_json: AsJson = False) -> None:
    """Forget a metrics server. The audit stays."""
    do(operations.remove_metrics, name)
    if as_json:
        print_json({"removed": name})
        return
    tell(say("said.metrics.removed", metrics=identifier(name)))


@app.command()
def run(
    query: Annotated[str, typer.Argument(help="A PromQL query.")],
    name: Annotated[str | None, typer.Option("--metrics", help="The server. Not needed where there is only one.")] = None,
    owner: Annotated[str, typer.Option("--as", help="The owner who asks.")] = "default",
    since: Annotated[str | None, typer.Option(help="How far back to look: 30m, 6h, 7d. Default: one number, now.")] = None,
    step: Annotated[str, typer.Option(help="Time between two values: 1m, 1h.")] = "1m",
    language: Annotated[str | None, typer.Option("--language", help="en, zh, ...: the language to print in.", callback=ask_for)] = None,
    as_json: AsJson = False,
) -> None:
    """Run a PromQL query, within the server's limits."""
    now = datetime.now(UTC)
    start = None if since is None else now - timedelta(seconds=seconds_of(since, "--since"))
    step_s = None if since is None else seconds_of(step, "--step")
    result = do(operations.query_metrics, name or _only_server(), query, end=now, start=start, step_s=step_s, owner=owner)
    if as_json:
        print_json(result.to_json())
        return
    words = "en" if language is None else voice_in(language).language
    print_document(console, show_metrics(result), words)
    errors.print(voice_in(words)(say("said.took", time=milliseconds(result.duration_ms))))


def _only_server() -> str:
    found = do(operations.metrics)
    if len(found) != 1:
        if not found:
            raise InvalidInput.of(say("refused.cli.no_metrics_yet", command=code("bullpen metrics add NAME")))
        raise InvalidInput.of(say("refused.cli.name_metrics", metrics=names(metrics.name for metrics in found[:10])))
    return found[0].name
