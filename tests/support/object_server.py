"""A server that speaks S3's protocol, in this process, with its own users and rights. Its libraries, a second of imports, come with it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

REGION = "us-east-1"
ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class ObjectServer:
    """`url`: its endpoint."""

    url: str

    def client(self, service: str = "s3") -> Any:
        """An administrator's."""
        import boto3

        return boto3.client(service, endpoint_url=self.url, region_name=REGION, aws_access_key_id=ADMIN, aws_secret_access_key=ADMIN)

    def put(self, bucket: str, files: dict[str, bytes]) -> None:
        """A bucket with these objects."""
        s3 = self.client()
        s3.create_bucket(Bucket=bucket)
        for key, content in files.items():
            s3.put_object(Bucket=bucket, Key=key, Body=content)

    def keys(self, bucket: str) -> list[str]:
        """Of all its objects."""
        return [item["Key"] for item in self.client().list_objects_v2(Bucket=bucket).get("Contents", [])]

    def env(self, **more: str) -> dict[str, str]:
        """The environment of somebody who may do everything here."""
        return {
            "AWS_ENDPOINT_URL_S3": self.url,
            "AWS_ACCESS_KEY_ID": ADMIN,
            "AWS_SECRET_ACCESS_KEY": ADMIN,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
            **more,
        }

    def stranger(self) -> dict[str, str]:
        """The environment of a user without any right."""
        iam = self.client("iam")
        iam.create_user(UserName="stranger")
        key = iam.create_access_key(UserName="stranger")["AccessKey"]
        return self.env(AWS_ACCESS_KEY_ID=key["AccessKeyId"], AWS_SECRET_ACCESS_KEY=key["SecretAccessKey"])

    def ask_for_rights(self, *, asked: bool = True) -> None:
        """Whether a request needs a right of its user; at first none does."""
        httpx.post(f"{self.url}/moto-api/reset-auth", content=b"0" if asked else b"inf").raise_for_status()


@contextmanager
def object_server() -> Iterator[ObjectServer]:
    """On a free port of this machine, empty."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        yield ObjectServer(f"http://{host}:{port}")
    finally:
        httpx.post(f"http://{host}:{port}/moto-api/reset-auth", content=b"inf")
        httpx.post(f"http://{host}:{port}/moto-api/reset")
        server.stop()
