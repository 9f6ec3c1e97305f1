# Spack recipe: copy to a repository as packages/strata/package.py. The owner has not chosen a licence.
from spack.package import *


class Strata(AutotoolsPackage):
    """Terminal explorer for deep-learning profiles."""

    # A release tarball (make dist) in the directory where spack is run.
    url = "file:///strata-0.2.0-dev.tar.gz"

    version("0.2.0-dev")

    variant("mpi", default=False, description="Build strata-mpi, which summarizes traces on many nodes")
    variant("isal", default=True, description="Inflate gzip with ISA-L instead of zlib")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("ncurses")
    depends_on("sqlite@3.31:")
    depends_on("pcre2")
    depends_on("zstd")
    depends_on("utf8proc")
    depends_on("isa-l", when="+isal")
    depends_on("zlib-api", when="~isal")
    depends_on("mpi", when="+mpi")

    def configure_args(self):
        return self.with_or_without("isal") + self.with_or_without("mpi")
