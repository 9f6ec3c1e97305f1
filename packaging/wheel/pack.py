"""pack.py FOLDER VERSION MACHINE DIRECTORY: write the wheel of FOLDER (PEP 427)."""

import base64
import hashlib
import os
import sys
import zipfile

folder, version, machine, directory = sys.argv[1:]
info = f"strata_profiler-{version}.dist-info"
tag = f"py3-none-manylinux2014_{machine}.musllinux_1_1_{machine}"
texts = {
    f"{info}/METADATA": "Metadata-Version: 2.1\nName: strata-profiler\n"
    f"Version: {version}\nSummary: Terminal explorer for deep-learning profiles\n",
    f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: strata\nRoot-Is-Purelib: false\n"
    + "".join(f"Tag: py3-none-{part}\n" for part in tag.split("-")[2].split(".")),
    f"{info}/entry_points.txt": "[console_scripts]\nstrata = strata_profiler:main\n",
}
record = []
name = os.path.join(directory, f"strata_profiler-{version}-{tag}.whl")


def add(archive, path, data, mode):
    entry = zipfile.ZipInfo(path, (2026, 1, 1, 0, 0, 0))
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    record.append(f"{path},sha256={digest},{len(data)}\n")


with zipfile.ZipFile(name, "w") as archive:
    for file in ("__init__.py", "strata"):
        path = os.path.join(folder, "strata_profiler", file)
        with open(path, "rb") as data:
            add(archive, f"strata_profiler/{file}", data.read(), 0o755 if file == "strata" else 0o644)
    for path, text in texts.items():
        add(archive, path, text.encode(), 0o644)
    record.append(f"{info}/RECORD,,\n")
    add(archive, f"{info}/RECORD", "".join(record).encode(), 0o644)
print(name)
