/** Emits `spark/audit.py`, a job for Apache Spark that audits an archive on a cluster. */
import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import { createBanner } from "../../text.js";
import { formatString } from "../python/text.js";

/** `spark/audit.py`: Spark sorts the events by their streams, and `accrete validate --lines` checks each partition. */
export function emitSpark(protocol: Protocol): OutputFile[] {
  return [
    {
      path: `${protocol.id}/spark/audit.py`,
      content: `# ${createBanner()}\n${formatDocstring(protocol)}${formatConstants(protocol)}${JOB}`,
    },
  ];
}

function formatDocstring({ id }: Protocol): string {
  return `"""Audits an archive of ${id} events on Apache Spark.

Spark reads the files, brings the events of each stream together and sorts them. \`accrete validate --lines\` checks
each partition. Findings and statistics are written as Parquet. Every executor needs Node and accrete-cli. The exit code
is 1 if there are errors, as that of \`accrete audit\`.

    spark-submit audit.py --output FOLDER INPUT...
"""

`;
}

function formatConstants({ id, envelope, stream }: Protocol): string {
  const formatOptional = (field: string | undefined): string =>
    field === undefined ? "None" : formatString(field);
  const key = (stream?.key ?? []).map(formatString).join(", ");
  return `from __future__ import annotations

import argparse
import array
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from typing import Any

from pyspark import SparkFiles
from pyspark.sql import Column, DataFrame, Row, SparkSession
from pyspark.sql import functions as F

PROTOCOL = ${formatString(id)}
TYPE = ${formatString(envelope.discriminator)}
KEY: list[str] = [${key}]
SEQUENCE: str | None = ${formatOptional(stream?.sequence)}
TIME: str | None = ${formatOptional(stream?.time)}
`;
}

/** The code that is the same for all protocols. */
const JOB = `
FINDING_COLUMNS = (
    "rule STRING, severity STRING, message STRING, pointer STRING, hint STRING, "
    "stream STRING, sequence DOUBLE, file STRING, position LONG"
)


def read_events(spark: SparkSession, paths: list[str], form: str, column: str) -> DataFrame:
    """Return the events with their files, also those of subfolders. The position grows within a file."""
    reader = spark.read.option("recursiveFileLookup", "true")
    rows = reader.parquet(*paths) if form == "parquet" else reader.text(paths, lineSep="\\n")
    return rows.select(
        F.col(column if form == "parquet" else "value").cast("string").alias("text"),
        F.col("_metadata.file_path").alias("file"),
        F.monotonically_increasing_id().alias("position"),
    ).where(F.trim("text") != "")


def read_field(name: str | None) -> Column:
    """Return a field of the event as text; null if it is absent, or if the text is not JSON."""
    if name is None:
        return F.lit(None).cast("string")
    return F.from_json("text", "MAP<STRING, STRING>").getItem(name)


def locate_events(events: DataFrame) -> DataFrame:
    """Add the stream and the number of each event. Texts that are not JSON share the stream with the empty name."""
    parts = [F.coalesce(read_field(name), F.lit("")) for name in KEY]
    if len(parts) > 1:
        parts = [F.replace(F.replace(one, F.lit("~"), F.lit("~0")), F.lit("/"), F.lit("~1")) for one in parts]
    number = read_field(SEQUENCE)
    return events.withColumns(
        {
            "stream": F.concat_ws("/", *parts) if parts else F.lit(""),
            "sequence": number.try_cast("double") if SEQUENCE else number.cast("double"),
        }
    )


# A line end in JSON text is white space, and would end the line too early.
LINE_ENDS = bytes.maketrans(b"\\r\\n", b"  ")


class Places:
    """The places of the lines of a partition, in 28 bytes for each line."""

    def __init__(self) -> None:
        self.positions = array.array("q")
        self.sequences = array.array("d")
        self.files = array.array("i")
        self.streams = array.array("q")
        self.file_numbers: dict[str, int] = {}
        self.file_names: list[str] = []
        self.stream_names: list[str] = []

    def add(self, row: Row) -> None:
        self.positions.append(row.position)
        self.sequences.append(float("nan") if row.sequence is None else row.sequence)
        if row.file not in self.file_numbers:
            self.file_numbers[row.file] = len(self.file_names)
            self.file_names.append(row.file)
        self.files.append(self.file_numbers[row.file])
        if not self.stream_names or self.stream_names[-1] != row.stream:
            self.stream_names.append(row.stream)
        self.streams.append(len(self.stream_names) - 1)

    def find(self, line: int | None) -> tuple[Any, ...]:
        """Return the stream, the number, the file and the position of a line."""
        if line is None or not 0 < line <= len(self.positions):
            return (None, None, None, None)
        index = line - 1
        number = self.sequences[index]
        return (
            self.stream_names[self.streams[index]],
            None if number != number else number,
            self.file_names[self.files[index]],
            self.positions[index],
        )

    def locate_refused(self, hint: str | None) -> str | None:
        """Return a hint in which the line of a refused event is named by its position in its file."""
        match = None if hint is None else re.match(r"Line (\\d+) of \\S+ was refused", hint)
        if hint is None or match is None:
            return hint
        _, _, file, position = self.find(int(match[1]))
        return f"Position {position} of {file} was refused{hint[match.end() :]}"


def find_folder(command: list[str]) -> str | None:
    """Return the folder of unpacked archives if the command is in it: without executors, that is not the current one."""
    root = SparkFiles.getRootDirectory()
    return root if any("/" in word and os.path.exists(os.path.join(root, word)) for word in command) else None


def check_partition(command: list[str], rows: Iterable[Row]) -> Iterator[tuple[Any, ...]]:
    """Pipe the lines of a partition through the command, and yield its findings with the places of the events."""
    places = Places()
    failures: list[BaseException] = []
    with tempfile.TemporaryFile() as errors:
        folder = find_folder(command)
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
        )
        assert process.stdin is not None and process.stdout is not None
        pipe = process.stdin

        def write() -> None:
            try:
                with pipe:
                    for row in rows:
                        places.add(row)
                        pipe.write(row.bytes.translate(LINE_ENDS) + b"\\n")
            except BrokenPipeError:
                pass  # The exit code tells why the command ended.
            except BaseException as error:
                failures.append(error)

        writer = threading.Thread(target=write)
        writer.start()
        for line in process.stdout:
            finding = json.loads(line)
            at = finding["at"]
            # An empty partition is no failure. Spark counts the events of all partitions.
            if finding["rule"] != "events-missing":
                yield (
                    finding["rule"],
                    finding["severity"],
                    finding["message"],
                    at["pointer"],
                    places.locate_refused(finding.get("hint")),
                    *places.find(at.get("line")),
                )
        writer.join()
        status = process.wait()
        if failures:
            raise failures[0]
        if status != 0:
            errors.seek(0)
            text = errors.read()[-2000:].decode(errors="replace")
            raise RuntimeError(f"{shlex.join(command)} ended with exit code {status}: {text}")


def check_events(events: DataFrame, command: list[str], partitions: int | None) -> DataFrame:
    """Return the findings about all streams. The order within a partition is total, so that a repeated task gives the same."""
    # Spark reads some 128 MB of the input as one part.
    partitions = partitions or max(events.rdd.getNumPartitions(), events.sparkSession.sparkContext.defaultParallelism)
    order = ["stream", "sequence", "file", "position"]
    # Bytes that are not UTF-8 are left to the command, which names them.
    lines = events.withColumn("bytes", F.col("text").cast("binary")).drop("text")
    parts = lines.repartition(partitions, "stream").sortWithinPartitions(*order)
    spark = events.sparkSession
    findings = parts.rdd.mapPartitions(lambda rows: check_partition(command, rows))
    return spark.createDataFrame(findings, FINDING_COLUMNS)


def count_events(events: DataFrame) -> DataFrame:
    """Return the number of events and of streams for each type and day."""
    time = read_field(TIME)
    moment = F.coalesce(time.try_cast("timestamp"), F.timestamp_millis(time.try_cast("long")))
    days = events.select(read_field(TYPE).alias("type"), F.to_date(moment).alias("day"), "stream")
    return days.groupBy("type", "day").agg(
        F.count("*").alias("events"), F.countDistinct("stream").alias("streams")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=f"Audits an archive of {PROTOCOL} events.")
    parser.add_argument("inputs", nargs="+", help="files or folders, as Spark reads them")
    parser.add_argument("--output", required=True, help="the folder for findings and statistics")
    parser.add_argument("--format", choices=["text", "parquet"], default="text", help="text is one event a line")
    parser.add_argument("--column", default="event", help="the column of Parquet files that holds events as JSON")
    parser.add_argument("--command", default="npx accrete-cli", help="the command line on every executor")
    parser.add_argument("--schemas", help="the folder of the protocols on the executors; by default as accrete finds it")
    parser.add_argument("--profile", choices=["reader", "writer"], default="reader")
    parser.add_argument("--partitions", type=int, help="the number of parts that are checked one by one; by default as Spark reads the input")
    options = parser.parse_args()
    command = [*shlex.split(options.command), "validate", "--lines", "--profile", options.profile]
    command += ["--protocol", PROTOCOL, *(["--schemas", options.schemas] if options.schemas else []), "-"]
    # Days are those of UTC.
    spark = SparkSession.builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    events = locate_events(read_events(spark, options.inputs, options.format, options.column))
    findings = check_events(events, command, options.partitions)
    place = os.path.join(options.output, "findings")
    findings.write.mode("overwrite").parquet(place)
    count_events(events).write.mode("overwrite").parquet(os.path.join(options.output, "statistics"))
    counts = spark.read.parquet(place).groupBy("severity").count().collect()
    spark.stop()
    print(", ".join(f"{row['count']} of severity {row['severity']}" for row in counts) or "no findings", file=sys.stderr)
    # Schedulers show a job that ends with another code than 0.
    sys.exit(1 if any(row["severity"] == "error" for row in counts) else 0)


if __name__ == "__main__":
    main()
`;
