/** The text of whatever was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** A message followed by the text of an error, if there is one. */
export function withErrorText(message: string, error: unknown): string {
  if (error === undefined) return message;
  return message ? `${message} ${errorText(error)}` : errorText(error);
}
