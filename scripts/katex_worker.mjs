// One process per build: a JSON line in ({tex, display}), a JSON line out ({html} or {error}).
import readline from "node:readline";
import katex from "katex";

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { tex, display } = JSON.parse(line);
  let answer;
  try {
    answer = {
      html: katex.renderToString(tex, {
        displayMode: display, output: "htmlAndMathml", strict: "error", throwOnError: true,
      }),
    };
  } catch (error) {
    answer = { error: String(error.message) };
  }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
