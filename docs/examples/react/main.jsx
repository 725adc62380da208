import { createRoot } from "react-dom/client";
import { Timeline } from "./timeline.jsx";

// The addresses of `accrete serve`, for example ?stream=/hecate/v1/tasks/T/runs/R/stream&list=/hecate/v1/tasks/T/runs/R/events
const parameters = new URLSearchParams(location.search);
const stream = parameters.get("stream") ?? "/hecate/v1/events/stream";
const list = parameters.get("list") ?? undefined;

createRoot(document.getElementById("root")).render(<Timeline key={stream} stream={stream} list={list} />);
