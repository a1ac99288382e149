/** Returns a time as objects carry it, in UTC with seconds: `2024-05-01T10:00:00Z`. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
