"""The deployment files, read by tools and by their meaning. No container engine is needed or tried.

`render` is the small part of kustomize that our manifests use; where kubectl is installed, its own rendering
is compared with it.
"""

import copy
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from workers.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = ROOT / "docker-compose.yml"
DOCKERFILE = ROOT / "deploy" / "Dockerfile"
KUBERNETES = ROOT / "deploy" / "kubernetes"
OVERLAYS = ("keda-redis", "keda-rabbitmq")
KUSTOMIZATIONS = ("base", "migrate", *(f"overlays/{name}" for name in OVERLAYS), "overlays/small")
YAMLLINT = "{extends: default, rules: {line-length: {max: 120}, document-start: disable, truthy: disable}}"

Json = dict[str, Any]
Outcome = subprocess.CompletedProcess[str]


# ------------------------------------------------------------------------------------------------ reading


def documents(path: Path) -> list[Json]:
    """Every YAML document of a file."""
    return [document for document in yaml.safe_load_all(path.read_text()) if document]


def compose_services() -> dict[str, Json]:
    """The services of docker-compose.yml, anchors resolved."""
    return yaml.safe_load(COMPOSE.read_text())["services"]


def default_of(value: str) -> str:
    """`${NAME:-default}` as Compose reads it with an empty environment."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", str(value))


def seconds(duration: str) -> float:
    """`10m30s` as Compose reads it, in seconds."""
    units = {"h": 3600, "m": 60, "s": 1}
    parts = re.findall(r"(\d+)([hms])", default_of(duration))
    assert parts, duration
    return sum(int(number) * units[unit] for number, unit in parts)


def deploy_files() -> list[Path]:
    """All that these tests are about."""
    below = [path for path in (ROOT / "deploy").rglob("*") if path.is_file() and path.name != "bullpen.env"]
    return [COMPOSE, ROOT / ".dockerignore", *below]


MERGE_KEYS = {"containers": "name", "env": "name", "volumes": "name", "volumeMounts": "mountPath"}


def merged(base: Any, patch: Any, *, by_key: bool, field: str = "") -> Any:
    """A strategic merge (`by_key`), or, for custom resources, a JSON merge, in which lists are replaced."""
    if isinstance(base, dict) and isinstance(patch, dict):
        out = dict(base)
        for name, value in patch.items():
            out[name] = merged(base[name], value, by_key=by_key, field=name) if name in base else value
        return out
    key = MERGE_KEYS.get(field)
    if by_key and key and isinstance(base, list) and isinstance(patch, list):
        patches = {item[key]: item for item in patch}
        kept = [merged(item, patches.pop(item[key], {}), by_key=True) for item in base]
        return kept + list(patches.values())
    return patch


def selected(document: Json, target: Json | None, patch: Json) -> bool:
    """Whether a patch means this resource: by its target, else by kind and name."""
    if target is None:
        return document["kind"] == patch["kind"] and document["metadata"]["name"] == patch["metadata"]["name"]
    labels = document["metadata"].get("labels", {})
    wanted = dict(pair.split("=") for pair in target.get("labelSelector", "").split(",") if pair)
    return document["kind"] == target["kind"] and wanted.items() <= labels.items()


def render(folder: Path) -> list[Json]:
    """The resources of a kustomization, with its patches, images and namespace."""
    kustomization = documents(folder / "kustomization.yaml")[0]
    known = {"apiVersion", "kind", "namespace", "resources", "components", "patches"}
    assert kustomization.keys() <= known, f"{folder}: render() does not know {kustomization.keys() - known}"
    resources: list[Json] = []
    for name in kustomization["resources"]:
        path = (folder / name).resolve()
        resources += render(path) if path.is_dir() else documents(path)
    for component in kustomization.get("components", []):
        for image in documents(folder / component / "kustomization.yaml")[0]["images"]:
            for container in (c for resource in resources for c in containers(resource)):
                if container["image"] == image["name"]:
                    container["image"] = f"{image['newName']}:{image['newTag']}"
    for entry in kustomization.get("patches", []):
        (patch,) = documents(folder / entry["path"])
        change = copy.deepcopy(patch)
        del change["metadata"]["name"]
        by_key = not patch["apiVersion"].startswith("keda.sh/")
        hits = [n for n, resource in enumerate(resources) if selected(resource, entry.get("target"), patch)]
        assert hits, f"{folder / entry['path']} changes nothing"
        for n in hits:
            resources[n] = merged(resources[n], copy.deepcopy(change), by_key=by_key)
    for resource in resources:
        if resource["kind"] != "Namespace":
            resource["metadata"]["namespace"] = kustomization["namespace"]
    return resources


def containers(resource: Json) -> list[Json]:
    """The containers of a Deployment or a Job; none for the rest."""
    return resource.get("spec", {}).get("template", {}).get("spec", {}).get("containers", [])


def of_kind(resources: list[Json], kind: str) -> dict[str, Json]:
    """Those of one kind, by name."""
    return {item["metadata"]["name"]: item for item in resources if item["kind"] == kind}


def roles() -> list[str]:
    """The roles that fill stages; the coordinator is asked for by its name."""
    from contracts.roles import RoleName

    return [str(role) for role in RoleName if role != "coordinator"]


# ------------------------------------------------------------------------------------------------ the tools


def run(*command: str | Path) -> Outcome:
    """A tool's exit code and words."""
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=180, check=False)


def tool(name: str) -> str:
    """The path of a tool of this environment. A missing one fails the test: skipping would say nothing."""
    found = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    assert found, f"{name} is not installed: it belongs to the dev dependencies"
    return found


def check_compose(path: Path) -> Outcome:
    """Keys and types of a compose file."""
    return run(tool("check-jsonschema"), "--builtin-schema", "vendor.compose-spec", path)


def check_kubernetes(path: Path) -> Outcome:
    """Keys and types of manifests; custom kinds only warn."""
    return run(tool("kubernetes-validate"), "--strict", path)


def check_dockerfile(path: Path) -> Outcome:
    """Syntax and good habits of a Dockerfile."""
    return run(tool("hadolint"), path)


def check_yaml(*paths: Path) -> Outcome:
    """Form of YAML files: indentation, blanks, duplicate keys."""
    return run(tool("yamllint"), "--strict", "-d", YAMLLINT, *paths)


def said(result: Outcome) -> str:
    """Both outputs, for the message of a failure."""
    return result.stdout + result.stderr


def test_the_compose_file_follows_the_compose_specification() -> None:
    """F9: Compose deployment."""
    result = check_compose(COMPOSE)

    assert result.returncode == 0, said(result)


def test_the_manifests_follow_the_schemas_of_kubernetes(tmp_path: Path) -> None:
    """Whole files and rendered ones, the latter with every patch applied."""
    rendered = tmp_path / "rendered.yaml"
    everything = [resource for name in KUSTOMIZATIONS for resource in render(KUBERNETES / name)]
    everything += documents(KUBERNETES / "secret.example.yaml")
    everything += documents(ROOT / "deploy" / "flower" / "ingress.example.yaml")
    rendered.write_text(yaml.safe_dump_all(everything))

    result = check_kubernetes(rendered)

    assert result.returncode == 0, said(result)
    checked = len(re.findall(r"passed for resource", said(result)))
    unknown = set(re.findall(r"Couldn't find schema for kind (\w+)", said(result)))
    assert unknown == {"ScaledObject", "TriggerAuthentication"}, "only KEDA's kinds have no schema at hand"
    assert checked == sum(1 for item in everything if not item["apiVersion"].startswith("keda.sh/"))


def test_the_dockerfile_and_the_yaml_are_clean() -> None:
    """F9: Compose deployment."""
    yamls = [path for path in deploy_files() if path.suffix in {".yaml", ".yml"}]

    dockerfile = check_dockerfile(DOCKERFILE)
    lint = check_yaml(*yamls)

    assert dockerfile.returncode == 0, said(dockerfile)
    assert lint.returncode == 0, said(lint)


@pytest.mark.parametrize(
    ("check", "source", "old", "new"),
    [
        pytest.param(check_compose, COMPOSE, "healthcheck:", "healthchek:", id="compose-unknown-key"),
        pytest.param(check_kubernetes, KUBERNETES / "migrate/job.yaml", "backoffLimit", "backofLimit", id="job-typo"),
        pytest.param(
            check_kubernetes,
            KUBERNETES / "base/roles.yaml",
            "matchLabels:",
            "matchLabel:",
            id="deployment-typo",
        ),
        pytest.param(check_dockerfile, DOCKERFILE, "WORKDIR /app", "WORKDIR app", id="dockerfile-relative-workdir"),
        pytest.param(check_yaml, COMPOSE, "services:", "services:  ", id="yaml-trailing-blanks"),
    ],
)
def test_each_tool_refuses_a_broken_copy(tmp_path: Path, check: Callable[[Path], Outcome], source: Path, old: str, new: str) -> None:
    """A check that cannot fail says nothing."""
    text = source.read_text()
    assert old in text
    broken = tmp_path / source.name
    broken.write_text(text.replace(old, new))

    assert check(broken).returncode != 0


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
@pytest.mark.parametrize("name", KUSTOMIZATIONS)
def test_kustomize_renders_what_these_tests_read(name: str) -> None:
    """Holds `render` to the real thing, so that the tests below mean something without kubectl."""
    result = run(shutil.which("kubectl") or "", "kustomize", KUBERNETES / name)
    assert result.returncode == 0, said(result)

    theirs = [document for document in yaml.safe_load_all(result.stdout) if document]

    def by_name(items: list[Json]) -> dict[str, Json]:
        return {f"{item['kind']}/{item['metadata']['name']}": ordered(item) for item in items}

    assert by_name(theirs) == by_name(render(KUBERNETES / name))


def ordered(value: Any) -> Any:
    """With lists sorted: a patch may put its items before or after those of the base."""
    if isinstance(value, dict):
        return {key: ordered(item) for key, item in value.items()}
    if isinstance(value, list):
        return sorted((ordered(item) for item in value), key=lambda item: json.dumps(item, sort_keys=True))
    return value


# ------------------------------------------------------------------------------------------------ the image


def test_the_image_is_built_from_pinned_hashes_and_runs_as_nobody_in_particular() -> None:
    """F9: SIGTERM must reach the worker, so the entry point is in exec form."""
    text = DOCKERFILE.read_text()
    user = re.findall(r"^USER (.+)$", text, re.MULTILINE)

    assert "ARG REQUIREMENTS=requirements.lock" in text
    assert '--require-hashes -r "${REQUIREMENTS}"' in text
    assert "pip install --no-deps ." in text
    assert user, "root is the default"
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user[-1]), "a number, or Kubernetes cannot check runAsNonRoot"
    assert '\nENTRYPOINT ["bullpen"]\n' in text
    assert re.search(r'^HEALTHCHECK .*CMD \["bullpen", "doctor", "--worker"\]$', text, re.MULTILINE)


def copied_into_the_image() -> list[str]:
    """The sources of each COPY from the repository."""
    lines = re.findall(r"^COPY (?!--from)(.+)$", DOCKERFILE.read_text(), re.MULTILINE)
    return [source.rstrip("/") for line in lines for source in line.split()[:-1]]


def test_nothing_enters_the_build_but_what_the_image_copies() -> None:
    """The ignore file is a list of what may enter, so that no `.env` and no `.git` does."""
    ignore = (ROOT / ".dockerignore").read_text().splitlines()
    allowed = {line[1:].rstrip("/") for line in ignore if line.startswith("!")}

    assert "*" in ignore
    assert allowed == set(copied_into_the_image())


def test_what_the_image_copies_exists() -> None:
    """A file or folder that moves must move in the Dockerfile too."""
    assert [name for name in copied_into_the_image() if not (ROOT / name).exists()] == []


# ------------------------------------------------------------------------------------------------ compose


def test_compose_has_a_service_for_each_role_that_can_be_scaled() -> None:
    """F9: a role is scaled alone with `--scale`, so nothing in its service may be unique on the host."""
    services = compose_services()

    for name in [*roles(), "coordinator"]:
        service = services[name]
        assert service["command"] == ["worker", name]
        assert service["restart"] == "unless-stopped"
        assert service["healthcheck"]["test"] == ["CMD", "bullpen", "doctor", "--worker"]
        assert {"container_name", "ports", "hostname"}.isdisjoint(service)


def test_compose_has_no_service_for_a_role_that_does_not_exist() -> None:
    """F9: a worker on a queue that nobody fills would look healthy for ever."""
    workers = {name for name, service in compose_services().items() if service.get("command", [""])[0] == "worker"}

    assert workers == {*roles(), "coordinator"}


def test_compose_starts_the_fleet_after_the_schema() -> None:
    """F9: migrations run once, and the others wait for their success."""
    services = compose_services()

    assert services["migrate"]["command"] == ["db", "migrate"]
    assert services["migrate"]["restart"] == "no"
    for name in [*roles(), "coordinator", "flower", "gateway"]:
        assert services[name]["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
        assert services[name]["depends_on"]["postgres"] == {"condition": "service_healthy"}
        assert services[name]["depends_on"]["redis"] == {"condition": "service_healthy"}


BESIDE_A_STATEMENT_MB = 400
"""What a worker or gateway holds beside the process of one statement."""


def megabytes(size: str) -> int:
    """`2g` of Compose, `512Mi` of Kubernetes."""
    number, unit = re.fullmatch(r"(\d+)([gGmM])i?", size).groups()  # pyright: ignore[reportOptionalMemberAccess]
    return int(number) * (1024 if unit in "gG" else 1)


def test_a_statement_that_takes_all_that_it_may_leaves_its_container_alive() -> None:
    """Its process is refused more memory before the kernel ends the whole pod."""
    needed = Settings().statement_memory_mb + BESIDE_A_STATEMENT_MB
    services = compose_services()
    for name in [*roles(), "gateway"]:
        assert megabytes(services[name]["deploy"]["resources"]["limits"]["memory"]) >= needed, name
    for folder in KUSTOMIZATIONS:
        for item in render(KUBERNETES / folder):
            if item["kind"] == "Deployment" and "flower" not in item["metadata"]["name"]:
                (container,) = item["spec"]["template"]["spec"]["containers"]
                assert megabytes(container["resources"]["limits"]["memory"]) >= needed, item["metadata"]["name"]


def test_every_compose_service_has_limits_and_a_pinned_image() -> None:
    """F9: no `latest`, no container that can take the whole machine."""
    for name, service in compose_services().items():
        limits = service["deploy"]["resources"]["limits"]
        tag = default_of(service["image"]).rpartition(":")[2]
        assert {"cpus", "memory"} <= limits.keys(), name
        assert tag not in {"", "latest"}, name
        assert "build" in service or re.search(r"\d+\.\d+", tag), f"{name}: {tag} names no version"


def test_a_stopping_worker_of_compose_has_time_for_its_longest_step() -> None:
    """F9: step timeout < shutdown grace < stop grace."""
    for name in [*roles(), "coordinator"]:
        service = compose_services()[name]
        grace = float(default_of(service["environment"]["BULLPEN_SHUTDOWN_GRACE_S"]))
        assert Settings().step_timeout_s < grace < seconds(service["stop_grace_period"]), name


def test_compose_leaves_optional_settings_to_the_file_that_the_readme_names() -> None:
    """`environment` wins over `env_file`: a name in both would silently have the value of the former."""
    own = {"BULLPEN_DATABASE_URL", "BULLPEN_BROKER_URL", "BULLPEN_ADVANCE", "BULLPEN_HOME", "BULLPEN_ARTEFACT_STORE"}
    own |= {"BULLPEN_SHUTDOWN_GRACE_S"}
    services = compose_services()

    for name in [*roles(), "coordinator", "migrate"]:
        assert services[name]["environment"].keys() == own, name
        assert services[name]["env_file"] == [{"path": "deploy/bullpen.env", "required": False}], name
    assert services["gateway"]["environment"].keys() == own | {"BULLPEN_GATEWAY_ADDRESS", "BULLPEN_GATEWAY_PORT"}


def published(services: dict[str, Json]) -> list[tuple[str, str]]:
    """Service and port, as `address:host:container`; without an address the port is open to the world."""

    def short(port: str | Json) -> str:
        return port if isinstance(port, str) else f"{port.get('host_ip', 'world')}:{port['target']}"

    return [(name, short(port)) for name, service in services.items() for port in service.get("ports", [])]


def test_compose_publishes_on_loopback_only() -> None:
    """F9: whoever opens a port to the world does it on purpose, in a file of their own."""
    ports = published(compose_services())

    assert {name for name, _ in ports} == {"flower", "gateway", "prometheus"}
    assert all(port.startswith("127.0.0.1:") for _, port in ports), ports


def test_compose_refuses_to_start_without_its_secrets() -> None:
    """F9: no default password anywhere; Flower never without its own."""
    services = compose_services()

    auth = services["flower"]["environment"]["BULLPEN_FLOWER_BASIC_AUTH"]
    assert auth.startswith("${BULLPEN_FLOWER_BASIC_AUTH:?")
    assert services["postgres"]["environment"]["POSTGRES_PASSWORD"].startswith("${POSTGRES_PASSWORD:?")
    assert any(part.startswith("${REDIS_PASSWORD:?") for part in services["redis"]["command"])
    flowers = [name for name, service in services.items() if "flower" in service.get("command", [])]
    assert flowers == ["flower"]


def test_the_broker_of_compose_never_evicts_a_message() -> None:
    """F9: a full broker must refuse, not forget."""
    command = compose_services()["redis"]["command"]

    assert command[command.index("--maxmemory-policy") + 1] == "noeviction"
    assert command[command.index("--appendonly") + 1] == "yes"


def test_the_database_of_compose_keeps_its_data_in_the_volume() -> None:
    """F9: images of Postgres 18 and later keep data below /var/lib/postgresql, not in its folder `data`."""
    postgres = compose_services()["postgres"]

    assert "-pg18" in postgres["image"]
    assert postgres["volumes"] == ["postgres-data:/var/lib/postgresql"]


# ------------------------------------------------------------------------------------------------ Kubernetes


def test_kubernetes_has_a_deployment_for_each_role() -> None:
    """Eight roles, the coordinator, the gateway and Flower, each with the command of its own."""
    deployments = of_kind(render(KUBERNETES / "base"), "Deployment")

    commands = {name: containers(deployment)[0]["args"] for name, deployment in deployments.items()}
    assert commands == {
        **{f"bullpen-{role}": ["worker", role] for role in [*roles(), "coordinator"]},
        "bullpen-worker": ["worker", "--all"],
        "bullpen-flower": ["flower"],
        "bullpen-gateway": ["gateway"],
    }
    for name, deployment in deployments.items():
        selector = deployment["spec"]["selector"]["matchLabels"]
        assert selector == {"app.kubernetes.io/name": name}
        assert selector.items() <= deployment["spec"]["template"]["metadata"]["labels"].items()


def test_every_pod_is_hardened_and_limited() -> None:
    """What the namespace's `restricted` level asks for, and a root that cannot be written."""
    pods = [item for name in ("base", "migrate") for item in render(KUBERNETES / name) if containers(item)]
    assert len(pods) == len(roles()) + 5

    for item in pods:
        spec = item["spec"]["template"]["spec"]
        (container,) = spec["containers"]
        assert spec["securityContext"]["runAsNonRoot"] is True
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert spec["automountServiceAccountToken"] is False
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["securityContext"]["allowPrivilegeEscalation"] is False
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        assert {mount["name"] for mount in container["volumeMounts"]} <= {"tmp", "uploads"}
        assert {"cpu", "memory"} <= container["resources"]["limits"].keys()
        assert {"cpu", "memory"} <= container["resources"]["requests"].keys()
        assert re.search(r":\d+\.\d+\.\d+$", container["image"]), container["image"]


def test_a_stopping_pod_has_time_for_its_longest_step() -> None:
    """Step timeout < shutdown grace < termination grace."""
    resources = render(KUBERNETES / "base")
    settings = of_kind(resources, "ConfigMap")["bullpen-settings"]["data"]
    deployments = of_kind(resources, "Deployment")

    for role in [*roles(), "coordinator"]:
        grace = deployments[f"bullpen-{role}"]["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
        timeout, shutdown = (float(settings[f"BULLPEN_{name}_S"]) for name in ("STEP_TIMEOUT", "SHUTDOWN_GRACE"))
        assert timeout < shutdown < grace, role


def test_workers_are_probed_by_doctor_and_never_killed_for_an_outage() -> None:
    """A liveness probe that asks the database would restart the whole fleet when the database is away; it asks for the heartbeat."""
    deployments = of_kind(render(KUBERNETES / "base"), "Deployment")

    for role in [*roles(), "coordinator"]:
        (container,) = containers(deployments[f"bullpen-{role}"])
        for probe in ("startupProbe", "readinessProbe"):
            assert container[probe]["exec"]["command"] == ["bullpen", "doctor", "--worker"]
        assert container["livenessProbe"]["exec"]["command"][:3] == ["python", "-m", "workers.heartbeat"]
        (beat,) = [item["value"] for item in container["env"] if item["name"] == "BULLPEN_HEARTBEAT"]
        assert str(Path(beat).parent) in {mount["mountPath"] for mount in container["volumeMounts"]}, "a folder it may write to"
        assert float(container["livenessProbe"]["exec"]["command"][3]) > Settings().hung_after_s, (
            "who can ends itself, and says where it was"
        )


def test_the_small_profiles_run_one_worker_for_all_and_none_for_each() -> None:
    workers = [*roles(), "coordinator"]
    deployments = of_kind(render(KUBERNETES / "overlays" / "small"), "Deployment")
    (container,) = containers(deployments["bullpen-worker"])
    compose = yaml.safe_load((ROOT / "deploy" / "compose.small.yml").read_text())["services"]

    assert container["args"] == ["worker", "--all"]
    assert deployments["bullpen-worker"]["spec"]["replicas"] == 1
    assert {deployments[f"bullpen-{role}"]["spec"]["replicas"] for role in workers} == {0}
    assert compose.pop("worker")["command"] == ["worker", "--all"]
    assert compose == {role: {"deploy": {"replicas": 0}} for role in workers}
    assert of_kind(render(KUBERNETES / "base"), "Deployment")["bullpen-worker"]["spec"]["replicas"] == 0


def test_flower_in_kubernetes_is_behind_a_password_inside_the_cluster() -> None:
    """Never without auth: the value comes from the secret, and a missing key stops the pod."""
    resources = render(KUBERNETES / "base")
    (container,) = containers(of_kind(resources, "Deployment")["bullpen-flower"])
    (auth,) = [item for item in container["env"] if item["name"] == "BULLPEN_FLOWER_BASIC_AUTH"]

    assert auth["valueFrom"]["secretKeyRef"] == {
        "name": "bullpen-secrets",
        "key": "BULLPEN_FLOWER_BASIC_AUTH",
    }
    assert {item["spec"]["type"] for item in resources if item["kind"] == "Service"} == {"ClusterIP"}
    ingress = of_kind(resources, "NetworkPolicy")["bullpen-flower"]["spec"]["ingress"]
    assert all(rule["from"] for rule in ingress), "an empty `from` lets everyone in"


def test_gateways_are_probed_and_reached_from_inside_the_cluster_only() -> None:
    """Two of them; readiness asks the database, liveness does not."""
    resources = render(KUBERNETES / "base")
    deployment = of_kind(resources, "Deployment")["bullpen-gateway"]
    (container,) = containers(deployment)

    assert deployment["spec"]["replicas"] > 1
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert container["startupProbe"]["httpGet"]["path"] == "/healthz"
    ingress = of_kind(resources, "NetworkPolicy")["bullpen-gateway"]["spec"]["ingress"]
    assert all(rule["from"] for rule in ingress), "an empty `from` lets everyone in"


def test_a_stopping_gateway_has_time_for_its_requests() -> None:
    """The grace of requests < what Compose and Kubernetes give the process."""
    from workers.gateway.serving import GRACE_S

    spec = of_kind(render(KUBERNETES / "base"), "Deployment")["bullpen-gateway"]["spec"]["template"]["spec"]
    assert spec["terminationGracePeriodSeconds"] > GRACE_S
    assert seconds(compose_services()["gateway"]["stop_grace_period"]) > GRACE_S


def test_a_coordinator_is_left_when_a_node_is_drained() -> None:
    """Two of them, of which one may be away."""
    resources = render(KUBERNETES / "base")
    budget = of_kind(resources, "PodDisruptionBudget")["bullpen-coordinator"]["spec"]
    coordinator = of_kind(resources, "Deployment")["bullpen-coordinator"]["spec"]

    assert 0 < budget["minAvailable"] < coordinator["replicas"]
    assert budget["selector"] == coordinator["selector"]


@pytest.mark.parametrize("profile", ["base", "overlays/small"])
def test_every_deployment_has_a_budget_that_lets_a_node_be_drained(profile: str) -> None:
    """One pod may always go: a budget that forbids it holds up the node for ever."""
    resources = render(KUBERNETES / profile)
    budgets = of_kind(resources, "PodDisruptionBudget")

    for name, deployment in of_kind(resources, "Deployment").items():
        budget = budgets[name]["spec"]
        assert budget["selector"] == deployment["spec"]["selector"]
        replicas = deployment["spec"].get("replicas", 1)
        assert budget.get("maxUnavailable", 0) >= 1 or replicas == 0 or budget["minAvailable"] < replicas, name


def test_gateways_and_workers_know_the_models_and_the_sources_of_the_users() -> None:
    """A gateway refuses `engine: llm` where it knows of no model, and says who places instructions."""
    for name, deployment in of_kind(render(KUBERNETES / "base"), "Deployment").items():
        (container,) = containers(deployment)
        secrets = {entry["secretRef"]["name"] for entry in container["envFrom"] if "secretRef" in entry}
        assert secrets == (set() if name == "bullpen-flower" else {"bullpen-models", "bullpen-sources"}), name


def test_uploads_in_kubernetes_are_bounded_by_the_volume_that_they_are_staged_on() -> None:
    gateway = of_kind(render(KUBERNETES / "base"), "Deployment")["bullpen-gateway"]
    (container,) = containers(gateway)
    env = {entry["name"]: entry.get("value") for entry in container["env"]}
    volumes = {volume["name"]: volume for volume in gateway["spec"]["template"]["spec"]["volumes"]}
    gib = int(volumes["uploads"]["emptyDir"]["sizeLimit"].removesuffix("Gi"))

    assert {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}[env["BULLPEN_HOME"]] == "uploads"
    assert int(env["BULLPEN_UPLOAD_ROOM_BYTES"]) + int(env["BULLPEN_ARTEFACT_CACHE_BYTES"]) < gib << 30


def test_every_image_can_be_named_by_its_digest() -> None:
    own = {service["image"] for service in compose_services().values()}
    assert all(re.fullmatch(r"\$\{[A-Z]+_IMAGE:-[^}]+\}", image) for image in own), own
    froms = re.findall(r"^FROM (\S+)", DOCKERFILE.read_text(), re.MULTILINE)
    assert set(froms) == {"${PYTHON_IMAGE}"}


def test_the_example_secret_has_every_key_that_is_asked_for_and_no_value() -> None:
    """It shows the shape only, and no kustomization applies it."""
    (example,) = documents(KUBERNETES / "secret.example.yaml")
    asked = {
        (reference["name"], reference["key"])
        for name in KUSTOMIZATIONS
        for item in render(KUBERNETES / name)
        for reference in secret_references(item)
    }

    assert asked == {(example["metadata"]["name"], key) for key in example["stringData"]}
    assert set(example["stringData"].values()) == {"REPLACE_ME"}
    for name in KUSTOMIZATIONS:
        assert of_kind(render(KUBERNETES / name), "Secret") == {}


def secret_references(item: Json) -> Iterator[Json]:
    """Name and key of each secret value that must exist."""
    for container in containers(item):
        for variable in container.get("env", []):
            if "secretKeyRef" in variable.get("valueFrom", {}):
                yield variable["valueFrom"]["secretKeyRef"]
    if item["kind"] == "TriggerAuthentication":
        yield from item["spec"]["secretTargetRef"]


# ------------------------------------------------------------------------------------------------ KEDA


def keda_faults(resources: list[Json]) -> list[str]:
    """What KEDA's admission would refuse, or never act on; its schemas come with no validator of ours."""
    faults: list[str] = []
    deployments = of_kind(resources, "Deployment")
    authentications = of_kind(resources, "TriggerAuthentication")
    needed = {
        "redis": {"addressFromEnv", "listName", "listLength"},
        "rabbitmq": {"queueName", "mode", "value"},
    }
    for name, item in of_kind(resources, "ScaledObject").items():
        spec = item["spec"]
        target = deployments.get(spec.get("scaleTargetRef", {}).get("name"))
        if item["apiVersion"] != "keda.sh/v1alpha1":
            faults.append(f"{name}: apiVersion")
        if target is None:
            faults.append(f"{name}: scales nothing")
        elif "replicas" in target["spec"]:
            faults.append(f"{name}: applying the Deployment again would undo the scaling")
        if not 0 <= spec.get("minReplicaCount", 0) < spec.get("maxReplicaCount", 0):
            faults.append(f"{name}: minReplicaCount and maxReplicaCount")
        if spec.get("cooldownPeriod", 0) < 60 or spec.get("pollingInterval", 0) < 1:
            faults.append(f"{name}: cooldownPeriod or pollingInterval")
        triggers = spec.get("triggers", [])
        for trigger in triggers:
            metadata = trigger.get("metadata", {})
            if not needed.get(trigger.get("type"), {"?"}) <= metadata.keys():
                faults.append(f"{name}: trigger {trigger.get('type')} has only {sorted(metadata)}")
            if not all(isinstance(value, str) for value in metadata.values()):
                faults.append(f"{name}: metadata values must be strings")
            if trigger.get("authenticationRef", {}).get("name") not in authentications:
                faults.append(f"{name}: authenticationRef")
        formula = spec.get("advanced", {}).get("scalingModifiers", {}).get("formula")
        names = [trigger.get("name") for trigger in triggers]
        if len(triggers) > 1 and (not formula or sorted(re.findall(r"\w+", formula)) != sorted(names)):
            faults.append(f"{name}: {formula} does not add up {names}")
        if len(triggers) == 0:
            faults.append(f"{name}: no trigger")
    return faults


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_keda_scales_each_role_on_its_own_queue(overlay: str) -> None:
    """And nothing else: the coordinators stay, Flower is one."""
    from contracts.roles import queue_name

    resources = render(KUBERNETES / "overlays" / overlay)
    scalers = of_kind(resources, "ScaledObject")

    assert keda_faults(resources) == []
    assert scalers.keys() == {f"bullpen-{role}" for role in roles()}
    for role in roles():
        spec = scalers[f"bullpen-{role}"]["spec"]
        queues = [t["metadata"].get("listName", t["metadata"].get("queueName")) for t in spec["triggers"]]
        assert spec["scaleTargetRef"]["name"] == f"bullpen-{role}"
        assert queues == (redis_lists(queue_name(role)) if overlay == "keda-redis" else [queue_name(role)])


def redis_lists(queue: str) -> list[str]:
    """The lists behind a queue as kombu names them, one for each priority step."""
    from kombu.transport.redis import PRIORITY_STEPS, Channel

    return [f"{queue}{Channel.sep}{step}" if step else queue for step in PRIORITY_STEPS]


def test_the_scaler_finds_the_broker_in_its_targets_environment() -> None:
    """`addressFromEnv` names a variable of the Deployment, which gets it from the ConfigMap."""
    resources = render(KUBERNETES / "overlays" / "keda-redis")
    settings = of_kind(resources, "ConfigMap")["bullpen-settings"]["data"]

    for name, deployment in of_kind(resources, "Deployment").items():
        assert {"configMapRef": {"name": "bullpen-settings"}} in containers(deployment)[0]["envFrom"], name
    for scaler in of_kind(resources, "ScaledObject").values():
        for trigger in scaler["spec"]["triggers"]:
            assert re.fullmatch(r"[\w.-]+:\d+", settings[trigger["metadata"]["addressFromEnv"]])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("spec", "scaleTargetRef", "name"), "bullpen-nobody"),
        (("spec", "maxReplicaCount"), 0),
        (("spec", "cooldownPeriod"), 0),
        (("spec", "triggers"), []),
        (("spec", "triggers", 1, "metadata", "listLength"), 4),
        (("spec", "triggers", 1, "metadata"), {}),
        (("spec", "triggers", 1, "authenticationRef"), {"name": "missing"}),
        (("spec", "advanced", "scalingModifiers", "formula"), "p0 + p3"),
    ],
)
def test_a_broken_scaler_is_found(path: tuple[str | int, ...], value: object) -> None:
    """KEDA's kinds have no schema here, so the checks of our own must be able to fail."""
    resources = render(KUBERNETES / "overlays" / "keda-redis")
    node: Any = of_kind(resources, "ScaledObject")["bullpen-reviewer"]
    for part in path[:-1]:
        node = node[part]
    node[path[-1]] = value

    assert keda_faults(resources) != []


# ------------------------------------------------------------------------------------------------ all of them


def test_every_setting_that_is_set_exists() -> None:
    """F9: settings ignore names they do not know, so a typo here would go unseen."""
    from workers.settings import Settings

    known = {f"BULLPEN_{name.upper()}" for name in Settings.model_fields}
    used: set[str] = set()
    for service in compose_services().values():
        used |= service.get("environment", {}).keys()
    for name in KUSTOMIZATIONS:
        for item in render(KUBERNETES / name):
            used |= item.get("data", {}).keys() if item["kind"] == "ConfigMap" else set()
            used |= {variable["name"] for container in containers(item) for variable in container.get("env", [])}
    used |= set(re.findall(r"\b(BULLPEN_\w+)=", DOCKERFILE.read_text()))

    assert {name for name in used if name.startswith("BULLPEN_")} - known == set()


PLACEHOLDER = r"(?:\$|<|REPLACE_ME|USER|PASSWORD|admin:\$|\.\.\.|true\b|false\b)"
SECRETS = (
    re.compile(rf"\w+://[^\s:/@'\"]*:(?!{PLACEHOLDER})[^\s@/'\"]+@"),
    re.compile(
        r"(?i)(?:password|passwd|secret|token|api_?key|basic_auth|default_pass|_auth)['\"]?[ \t]*[:=][ \t]*"
        rf"['\"]?(?!{PLACEHOLDER})[^\s'\"{{\[,)]+"
    ),
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY|\bsk-[A-Za-z0-9]{20,}|\bAKIA[A-Z0-9]{16}\b|\bghp_\w{30,}"),
)


def literal_secrets(text: str) -> list[str]:
    """Passwords in URLs, values of names that say secret, and keys in well-known forms.

    A variable is no secret, but its default would be: `${NAME}` and `${NAME:?..}` go, `${NAME:-x}` becomes x.
    """
    for _ in range(2):  # variables inside a variable's default
        text = re.sub(r"\$\{\w+(?::\?[^{}]*)?\}", "$", text)
        text = re.sub(r"\$\{\w+:-([^{}]*)\}", lambda found: found[1] or "$", text)
    return [found.group(0) for pattern in SECRETS for found in pattern.finditer(text)]


def test_no_file_holds_a_secret() -> None:
    """F9: passwords come from the environment or from a Secret made outside the repository."""
    found = {str(path.relative_to(ROOT)): literal_secrets(path.read_text()) for path in deploy_files()}

    assert {name: hits for name, hits in found.items() if hits} == {}


def test_a_port_open_to_the_world_would_be_found() -> None:
    """F9: the search for published ports can fail, in both notations."""
    services: dict[str, Json] = {"flower": {"ports": ["5555:5555", {"target": 5555, "published": "5555"}]}}

    assert [port.startswith("127.0.0.1:") for _, port in published(services)] == [False, False]


@pytest.mark.parametrize(
    "line",
    [
        "BULLPEN_DATABASE_URL: postgresql://bullpen:hunter2@postgres:5432/bullpen",
        "      POSTGRES_PASSWORD: hunter2",
        "POSTGRES_PASSWORD=hunter2",
        'BULLPEN_FLOWER_BASIC_AUTH: "admin:admin"',
        "  RABBITMQ_DEFAULT_PASS: guest",
        "OPENAI_API_KEY: sk-abcdefghijklmnopqrstuvwxyz",
        "broker: redis://:hunter2@redis:6379/0",
        "POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:-hunter2}",
        "broker: ${BROKER:-redis://:hunter2@redis:6379/0}",
    ],
)
def test_a_secret_in_a_file_would_be_found(line: str) -> None:
    """The search above can fail."""
    assert literal_secrets(f"services:\n{line}\n") != []


def test_the_alerts_use_metrics_that_flower_has() -> None:
    """Nothing is promised that does not exist."""
    rules = yaml.safe_load((ROOT / "deploy" / "prometheus" / "alerts.yml").read_text())
    scrape = yaml.safe_load((ROOT / "deploy" / "prometheus" / "prometheus.yml").read_text())
    expressions = [rule["expr"] for group in rules["groups"] if group["name"] == "bullpen" for rule in group["rules"]]
    used = {name for expression in expressions for name in re.findall(r"\bflower_\w+", expression)}
    from flower import events

    source = Path(events.__file__).read_text()
    declared = set(re.findall(r"['\"](flower_\w+)['\"]", source))
    jobs = set(re.findall(r'job="([^"]+)"', " ".join(expressions)))

    assert used, "the alerts use Flower"
    assert {re.sub(r"_(sum|count|bucket)$", "", name) for name in used} <= declared
    assert jobs | {"bullpen-fleet"} == {config["job_name"] for config in scrape["scrape_configs"]}
    assert scrape["rule_files"] == ["alerts.yml"]


def test_the_guide_names_only_files_that_exist() -> None:
    """F9: deploy/README.md and the files beside it move together."""
    text = (ROOT / "deploy" / "README.md").read_text()
    named = set(re.findall(r"\bdeploy/[\w./-]+\w", text)) - {"deploy/bullpen.env"}

    assert len(named) >= 8
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
