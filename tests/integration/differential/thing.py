"""One object of a world, with what happens to it after its creation."""

import dataclasses


@dataclasses.dataclass
class Thing:
    object: dict
    status: dict | None = None  # written to the status subresource
    leaving: bool = False  # deleted, but a finalizer keeps it
    owned: list = dataclasses.field(default_factory=list)  # claims that this Pod will own

    @property
    def name(self):
        return self.object["metadata"]["name"]

    @property
    def namespace(self):
        return self.object["metadata"].get("namespace")
