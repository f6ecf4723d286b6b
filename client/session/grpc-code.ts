/** The gRPC status that an error of Temporal's client has or wraps; undefined where there is none. */
export function grpcCodeOf(error: unknown): unknown {
  const cause = (error as { readonly cause?: unknown } | null | undefined)?.cause ?? error;
  return (cause as { readonly code?: unknown } | null | undefined)?.code;
}
