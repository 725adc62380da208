"""Lets a charging station and a central system of the package ocpp talk to each other on this machine, and prints their frames."""

import asyncio
import logging

import websockets
from ocpp.routing import on
from ocpp.v201 import ChargePoint, call, call_result

class Frames(logging.Handler):
    def emit(self, record):
        text = record.getMessage()
        if ": send " in text:
            print(text.split(": send ", 1)[1], flush=True)

logging.getLogger("ocpp").setLevel(logging.INFO)
logging.getLogger("ocpp").addHandler(Frames())
NOW = "2026-01-01T10:00:00Z"

class Central(ChargePoint):
    @on("BootNotification")
    def on_boot(self, **_): return call_result.BootNotification(current_time=NOW, interval=300, status="Accepted")
    @on("Heartbeat")
    def on_heartbeat(self, **_): return call_result.Heartbeat(current_time=NOW)
    @on("StatusNotification")
    def on_status(self, **_): return call_result.StatusNotification()
    @on("Authorize")
    def on_authorize(self, **_): return call_result.Authorize(id_token_info={"status": "Accepted", "language1": "en", "group_id_token": {"id_token": "G1", "type": "Central"}})
    @on("TransactionEvent")
    def on_transaction(self, **_): return call_result.TransactionEvent(total_cost=1.5, id_token_info={"status": "Accepted"})
    @on("MeterValues")
    def on_meter(self, **_): return call_result.MeterValues()
    @on("NotifyReport")
    def on_report(self, **_): return call_result.NotifyReport()
    @on("DataTransfer")
    def on_data(self, **_): return call_result.DataTransfer(status="Accepted", data={"a": [1, None]})

class Station(ChargePoint):
    @on("GetVariables")
    def on_get(self, get_variable_data, **_):
        return call_result.GetVariables(get_variable_result=[{"attribute_status": "Accepted", "attribute_value": "300", **{k: d[k] for k in ("component", "variable")}} for d in get_variable_data])
    @on("SetVariables")
    def on_set(self, set_variable_data, **_):
        return call_result.SetVariables(set_variable_result=[{"attribute_status": "RebootRequired", **{k: d[k] for k in ("component", "variable")}} for d in set_variable_data])
    @on("RequestStartTransaction")
    def on_start(self, **_): return call_result.RequestStartTransaction(status="Accepted", transaction_id="T1")
    @on("RequestStopTransaction")
    def on_stop(self, **_): return call_result.RequestStopTransaction(status="Rejected", status_info={"reason_code": "TxNotFound"})
    @on("SetChargingProfile")
    def on_profile(self, **_): return call_result.SetChargingProfile(status="Accepted")
    @on("Reset")
    def on_reset(self, **_): return call_result.Reset(status="Scheduled")
    @on("ChangeAvailability")
    def on_availability(self, **_): return call_result.ChangeAvailability(status="Accepted")
    @on("TriggerMessage")
    def on_trigger(self, **_): return call_result.TriggerMessage(status="NotImplemented")
    @on("UnlockConnector")
    def on_unlock(self, **_): return call_result.UnlockConnector(status="Unlocked")
    @on("GetBaseReport")
    def on_base(self, **_): return call_result.GetBaseReport(status="Accepted")
    @on("SendLocalList")
    def on_list(self, **_): return call_result.SendLocalList(status="Accepted")

TOKEN = {"id_token": "ABC", "type": "ISO14443", "additional_info": [{"additional_id_token": "X", "type": "t"}]}
VARIABLE = {"component": {"name": "OCPPCommCtrlr", "evse": {"id": 1, "connector_id": 1}}, "variable": {"name": "HeartbeatInterval", "instance": "a"}}
SAMPLE = {"value": 12.5, "context": "Sample.Periodic", "measurand": "Energy.Active.Import.Register", "unit_of_measure": {"unit": "Wh", "multiplier": 3}}
METER = [{"timestamp": NOW, "sampled_value": [SAMPLE]}]
def transaction(kind, number, reason, **more):
    return call.TransactionEvent(event_type=kind, timestamp=NOW, trigger_reason=reason, seq_no=number, transaction_info={"transaction_id": "T1", "charging_state": "Charging"}, **more)
FROM_STATION = [
    call.BootNotification(charging_station={"model": "M", "vendor_name": "V", "serial_number": "1", "modem": {"iccid": "1"}}, reason="PowerUp"),
    call.Heartbeat(), call.StatusNotification(timestamp=NOW, connector_status="Available", evse_id=1, connector_id=1),
    call.Authorize(id_token=TOKEN), transaction("Started", 0, "Authorized", id_token=TOKEN, evse={"id": 1, "connector_id": 1}),
    transaction("Updated", 1, "MeterValuePeriodic", meter_value=METER, offline=False, number_of_phases_used=3),
    transaction("Ended", 2, "StopAuthorized", meter_value=METER), call.MeterValues(evse_id=1, meter_value=METER),
    call.NotifyReport(request_id=1, generated_at=NOW, seq_no=0, tbc=False, report_data=[{**VARIABLE, "variable_attribute": [{"type": "Actual", "value": "300"}], "variable_characteristics": {"data_type": "integer", "supports_monitoring": True}}]),
    call.DataTransfer(vendor_id="V", message_id="m", data={"b": "c"}),
]
FROM_CENTRAL = [
    call.GetVariables(get_variable_data=[VARIABLE]), call.SetVariables(set_variable_data=[{**VARIABLE, "attribute_value": "60"}]),
    call.RequestStartTransaction(id_token=TOKEN, remote_start_id=1, evse_id=1), call.RequestStopTransaction(transaction_id="T0"),
    call.SetChargingProfile(evse_id=1, charging_profile={"id": 1, "stack_level": 0, "charging_profile_purpose": "TxProfile", "charging_profile_kind": "Relative", "transaction_id": "T1", "charging_schedule": [{"id": 1, "charging_rate_unit": "A", "charging_schedule_period": [{"start_period": 0, "limit": 16.0}, {"start_period": 60, "limit": 6.5}]}]}),
    call.Reset(type="OnIdle"), call.ChangeAvailability(operational_status="Inoperative", evse={"id": 1}), call.TriggerMessage(requested_message="Heartbeat"),
    call.UnlockConnector(evse_id=1, connector_id=1), call.GetBaseReport(request_id=1, report_base="FullInventory"),
    call.SendLocalList(version_number=1, update_type="Full", local_authorization_list=[{"id_token": TOKEN, "id_token_info": {"status": "Accepted"}}]),
]

async def main():
    done = asyncio.get_running_loop().create_future()
    async def serve(socket):
        central = Central("central", socket)
        task = asyncio.create_task(central.start())
        await asyncio.sleep(0.2)
        for message in FROM_CENTRAL:
            await central.call(message)
        done.set_result(None)
        await task
    async with websockets.serve(serve, "127.0.0.1", 0, subprotocols=["ocpp2.0.1"]) as server:
        port = server.sockets[0].getsockname()[1]
        async with websockets.connect(f"ws://127.0.0.1:{port}/CP1", subprotocols=["ocpp2.0.1"]) as socket:
            station = Station("station", socket)
            task = asyncio.create_task(station.start())
            for message in FROM_STATION:
                await station.call(message)
            await done
            task.cancel()
asyncio.run(main())
