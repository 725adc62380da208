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
