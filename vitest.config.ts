import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "generated/**/*.test.ts"],
    testTimeout: 60_000,
  },
});
