/** A command whose whole output is one JSON object: the object beside the text (reference: runtime 4.4). Pure. */

/** A larger output is not parsed: its text is in the answer anyway. */
const STRUCTURED_BYTES_MAX = 64 * 1024;

export function structuredOutput(streams: { stdout?: string; stderr?: string }): Record<string, unknown> {
  for (const stream of ['stdout', 'stderr'] as const) {
    const text = streams[stream]?.trim();
    if (text === undefined || !text.startsWith('{') || !text.endsWith('}') || text.length > STRUCTURED_BYTES_MAX)
      continue;
    try {
      return { structured_output: JSON.parse(text), structured_output_stream: stream };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return {};
}
