import { Injectable } from '@nestjs/common';
import { BehaviorSubject, distinctUntilChanged, filter, firstValueFrom, map, type Observable } from 'rxjs';

/** Whether the operator pauses, and why. */
export interface PauseStatus {
  readonly paused: boolean;
  /** The reasons of the pause as sentences; empty if the operator works. */
  readonly reasons: readonly string[];
}

/** The blockers that keep the operator from working. It pauses as long as there is any. */
@Injectable()
export class Pauses {
  private readonly blockers = new Map<string, string>();
  private readonly statuses = new BehaviorSubject<PauseStatus>({ paused: false, reasons: [] });

  get status(): PauseStatus {
    return this.statuses.value;
  }

  /** The status now, and its changes. */
  get status$(): Observable<PauseStatus> {
    return this.statuses.asObservable();
  }

  /** Whether the operator pauses: now, and at each change. */
  get paused$(): Observable<boolean> {
    return this.statuses.pipe(
      map(({ paused }) => paused),
      distinctUntilChanged(),
    );
  }

  /**
   * Adds a blocker, or changes its reason. The operator pauses.
   *
   * @param blocker identifies the blocker for {@link lift}.
   */
  set(blocker: string, reason: string): void {
    if (this.blockers.get(blocker) === reason) return;
    this.blockers.set(blocker, reason);
    this.publish();
  }

  /** Removes a blocker. The operator works again if it was the last one. */
  lift(blocker: string): void {
    if (this.blockers.delete(blocker)) this.publish();
  }

  /** Whether this blocker is one of those because of which the operator pauses. */
  has(blocker: string): boolean {
    return this.blockers.has(blocker);
  }

  /** Resolves as soon as the operator pauses. */
  async untilPaused(): Promise<void> {
    await firstValueFrom(this.paused$.pipe(filter(Boolean)));
  }

  private publish(): void {
    this.statuses.next({ paused: this.blockers.size > 0, reasons: [...this.blockers.values()] });
  }
}
