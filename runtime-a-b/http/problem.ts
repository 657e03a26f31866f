/** The answer to a request that is no call, or went wrong before there was one. */
export function problem(status: number, code: string, message: string): Response {
  return Response.json({ ok: false, code, message }, { status });
}
