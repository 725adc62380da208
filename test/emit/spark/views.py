"""Runs statements and queries on Spark: each line of standard input is one of them, and each line of the output the rows.

    python views.py FOLDER [SETTING=VALUE]...
"""

from __future__ import annotations

import json
import sys

from pyspark.sql import SparkSession

OPTIONS = {
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
    "spark.ui.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
    # Generated code pays for large tables only.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.jsonGenerator.ignoreNullFields": "false",
    "spark.sql.warehouse.dir": sys.argv[1],
}


def main() -> None:
    builder = SparkSession.builder.master("local[2]")
    settings = dict(setting.split("=", 1) for setting in sys.argv[2:])
    for name, value in {**OPTIONS, **settings}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    for line in sys.stdin:
        try:
            answer = {"rows": [json.loads(row) for row in spark.sql(json.loads(line)).toJSON().collect()]}
        except Exception as error:
            answer = {"problem": str(error)[:4000]}
        print(json.dumps(answer), flush=True)
    spark.stop()


main()
