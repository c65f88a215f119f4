"""`linecard buffer-size`: how much buffer keeps a TCP link full."""

from __future__ import annotations

from typing import Annotated

import typer

from linecard.cli.options import JSON_HELP


def buffer_size(
    rate: Annotated[str, typer.Option(metavar="RATE", help="Rate of the output link, such as 8.1Gbps.")],
    round_trip_ms: Annotated[float, typer.Option(metavar="MS", help="Mean round-trip time of the flows.")],
    flows: Annotated[int, typer.Option(metavar="N", help="Long flows that are not synchronised.")] = 1,
    json: Annotated[bool, typer.Option("--json", help=JSON_HELP)] = False,
) -> None:
    """Say how much buffer keeps a TCP link full: bandwidth times delay, and by the root of the flows.

    For a congested link with long flows. The first rule holds for one flow or for flows that back off together, the
    second for many that do not, at about 99 % utilisation.

    **Examples**

        linecard buffer-size --rate 8.1Gbps --round-trip-ms 200 --flows 40000
    """
    from rich.text import Text

    from linecard.cli import pieces, stdout
    from linecard.traffic.buffer_size import buffer_bytes
    from linecard.traffic.rate import parse_bit_rate

    bits = parse_bit_rate(rate)
    product = buffer_bytes(bits, round_trip_ms * 1e-3)
    shared = buffer_bytes(bits, round_trip_ms * 1e-3, flows)
    if json:
        stdout.print_json({"bandwidth_delay_bytes": product, "flows": flows, "buffer_bytes": shared})
        return
    table = pieces.grid("l", "r")
    table.add_row("Bandwidth-delay product", f"{product:,.0f} bytes")
    table.add_row(f"By the root of {flows:,} flows", Text(f"{shared:,.0f} bytes", style="bold"))
    stdout.show(pieces.section(pieces.heading("Buffer", "that keeps the link full"), table), Text(""))
