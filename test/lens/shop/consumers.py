"""The consumers of shop-consumers.ts in Python."""


def select(events, kind):
    return [event["data"] for event in events if event["type"] == kind]


KNOWN = ("order.placed", "order.paid", "order.shipped", "order.cancelled")
HIDDEN = ("stock.changed", "review.left", "heartbeat")
COLOURS = {"dhl": "yellow", "ups": "brown", "post": "red"}


def nothing(events):
    return "ready"


def types(events):
    return [event["type"] for event in events]


def timeline(events):
    kinds = [event["type"] for event in events if event["type"] not in HIDDEN]
    return [kind if kind in KNOWN else f"unknown: {kind}" for kind in kinds]


def unknown_types(events):
    return [event["type"] for event in events if event["type"] not in KNOWN + HIDDEN]


def large_orders(events):
    return sum(data["total"] > 500_000 for data in select(events, "order.placed"))


def small_orders(events):
    return sum(data["total"] < 2_000 for data in select(events, "order.placed"))


def revenue(events):
    return sum(data["total"] for data in select(events, "order.placed"))


def pounds(events):
    return sum(data.get("currency") == "GBP" for data in select(events, "order.placed"))


def channels(events):
    return [{"web": "W", "app": "A"}.get(data.get("channel"), "other") for data in select(events, "order.placed")]


def methods(events):
    return [data.get("method") for data in select(events, "order.paid")]


def cards(events):
    return ["card" if data.get("method") == "card" else "something else" for data in select(events, "order.paid")]


def carriers(events):
    return [COLOURS[data["carrier"]] for data in select(events, "order.shipped")]


def heavy(events):
    return sum(data.get("weight", 0) > 50 for data in select(events, "order.shipped"))


def light(events):
    return sum(data.get("weight", 99) < 10 for data in select(events, "order.shipped"))


def arrivals(events):
    return [str(data.get("eta", "soon"))[:10] for data in select(events, "order.shipped")]


def refunds(events):
    return ["money back" if data.get("refund") else "kept" for data in select(events, "order.cancelled")]


def frauds(events):
    return sum(data["reason"] == "fraud" for data in select(events, "order.cancelled"))


def bad_reviews(events):
    return [data.get("text", "no words") for data in select(events, "review.left") if data["rating"] <= 2]


def stars(events):
    return [f"{data.get('rating')} of 5" for data in select(events, "review.left")]


def low_stock(events):
    return sum(data["level"] < 100 for data in select(events, "stock.changed"))


def jumps(events):
    return sum(abs(data.get("delta", 0)) > 5_000 for data in select(events, "stock.changed"))


def articles(events):
    return [item["sku"] for data in select(events, "order.placed") for item in data.get("items", [])]


def many_items(events):
    return sum(len(data.get("items", [])) > 20 for data in select(events, "order.placed"))


def long_notes(events):
    return sum(len(data.get("note", "")) > 250 for data in select(events, "order.placed"))


def fees(events):
    return [data.get("fee", 0) for data in select(events, "order.paid")]


def overload(events):
    return sum(data["load"] > 0.9 for data in select(events, "heartbeat"))


def last(events):
    return events[-1]["type"] if events else None


def gaps(events):
    following, lines = {}, []
    for event in events:
        shop, number = event["shop"], event["number"]
        expected = following.get(shop, number)
        following[shop] = max(expected, number + 1)
        if number > expected:
            lines.append(f"{shop}: {expected}")
    return lines


def notes_in_pounds(events):
    return [data.get("note", "-") for data in select(events, "order.placed") if data.get("currency") == "GBP"]


def large_on_web(events):
    return sum(data["total"] > 300_000 and data.get("channel") == "web" for data in select(events, "order.placed"))


def best_order(events):
    orders = sorted(select(events, "order.placed"), key=lambda data: -data["total"])
    return orders[0]["order_id"] if orders else None


def five_stars(events):
    return sum(data.get("rating") == 5 for data in select(events, "review.left"))


def load_colours(events):
    return ["green" if data["load"] < 0.5 else "red" for data in select(events, "heartbeat")]


def sold_out(events):
    return sum(data["level"] == 0 for data in select(events, "stock.changed"))


def directions(events):
    return ["down" if data.get("delta", 0) < 0 else "up" for data in select(events, "stock.changed")]


def mean_weight(events):
    weights = [data["weight"] for data in select(events, "order.shipped")]
    return round(sum(weights) / len(weights)) if weights else 0


def tags(events):
    return [" ".join(data.get("tags", [])) for data in select(events, "review.left")]


def unpaid(events):
    paid = [data["order_id"] for data in select(events, "order.paid")]
    return sum(data["order_id"] not in paid for data in select(events, "order.placed"))


def regrets(events):
    return sum(data["reason"] == "customer" and bool(data.get("refund")) for data in select(events, "order.cancelled"))


def pieces(events):
    return [sum(item["count"] for item in data.get("items", [])) for data in select(events, "order.placed")]


def later(events):
    return sum(data.get("method") in ("voucher", "invoice") for data in select(events, "order.paid"))


def trackable(events):
    return ["tracking" in data for data in select(events, "order.shipped")]


def heavy_parcels(events):
    return sum(data.get("weight", 0) > 50 and data["carrier"] == "dhl" for data in select(events, "order.shipped"))


def currencies(events):
    return {event["shop"]: event["data"].get("currency") for event in events if event["type"] == "order.placed"}


def happy(events):
    return sum(data["rating"] >= 4 for data in select(events, "review.left"))


def until_fraud(events):
    for index, event in enumerate(events):
        if event["type"] == "order.cancelled" and event["data"]["reason"] == "fraud":
            return index
    return len(events)


def pages(events):
    return [len(str(event["data"])) > 0 for event in events if event["type"] == "order.placed"]


show = nothing


class Timeline:
    def __init__(self):
        self.events = []

    def push(self, event):
        self.events.append(event)

    def snapshot(self):
        return show(self.events)
