"""Runs queries over generated views, and generated audit jobs, in one Spark session. Reads requests as JSON."""

import importlib.util
import json
import os
import sys

from pyspark.sql import SparkSession


def load_job(path):
    spec = importlib.util.spec_from_file_location("audit_job", path)
    module = importlib.util.module_from_spec(spec)
    # Executors get the functions of the job with their code, because they cannot import its file.
    sys.modules.pop("audit_job", None)
    spec.loader.exec_module(module)
    import pyspark.cloudpickle as cloudpickle

    sys.modules["audit_job"] = module
    cloudpickle.register_pickle_by_value(module)
    return module


def open_views(spark, request):
    schema = request["schema"]
    spark.sql(f"CREATE SCHEMA IF NOT EXISTS {schema}")
    spark.read.json(request["events"], schema="event STRING, file STRING, position LONG").write.mode("overwrite").saveAsTable(
        f"{schema}.raw_events".replace("`", "")
    )
    for statement in request["statements"]:
        spark.sql(statement)


def run_queries(spark, request):
    open_views(spark, request)
    return [[json.loads(row) for row in spark.sql(query).toJSON().collect()] for query in request["queries"]]


def run_audit(spark, request):
    job = load_job(request["job"])
    events = job.locate_events(job.read_events(spark, request["inputs"], request["format"], "event"))
    findings = job.check_events(events, request["command"], 4)
    findings.write.mode("overwrite").parquet(request["output"])
    return {
        "findings": [row.asDict() for row in spark.read.parquet(request["output"]).collect()],
        "counts": [{**row.asDict(), "day": str(row.day)} for row in job.count_events(events).collect()],
    }


def main():
    folder = os.environ["SPARK_TEST_FOLDER"]
    spark = (
        SparkSession.builder.master(os.environ["SPARK_TEST_MASTER"])
        .config("spark.ui.enabled", "false")
        .config("spark.log.level", "ERROR")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.ansi.enabled", "true")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.warehouse.dir", os.path.join(folder, "warehouse"))
        .config("spark.local.dir", os.path.join(folder, "local"))
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.task.maxFailures", "4")
        .getOrCreate()
    )
    run = {"views": run_queries, "audit": run_audit}
    with open(os.path.join(folder, "requests.json")) as file:
        requests = json.load(file)
    answers = []
    for request in requests:
        try:
            answers.append({"result": run[request["kind"]](spark, request)})
        except Exception as error:
            answers.append({"error": str(error)[:4000]})
    with open(os.path.join(folder, "answers.json"), "w") as file:
        json.dump(answers, file)
    spark.stop()


main()
