/** The most durations that percentiles are taken of. */
const MOST = 500;

/** The durations of the last calls, in seconds, and their percentiles. */
export class DurationWindow {
  private readonly durations: number[] = [];
  private next = 0;

  add(seconds: number): void {
    this.durations[this.next] = seconds;
    this.next = (this.next + 1) % MOST;
  }

  /** Computes the percentiles; empty before the first call. */
  percentiles(): { readonly p50?: number; readonly p95?: number; readonly p99?: number } {
    if (this.durations.length === 0) return {};
    const sorted = [...this.durations].sort((one, other) => one - other);
    const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
    return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
  }
}
