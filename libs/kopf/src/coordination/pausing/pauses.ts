import { Injectable } from '@nestjs/common';
import { BehaviorSubject, distinctUntilChanged, filter, firstValueFrom, map, type Observable } from 'rxjs';

/** Tells whether the operator pauses, and why. */
export interface PauseStatus {
  readonly paused: boolean;
  /** Explains in words why the operator pauses; empty if it does not. */
  readonly reasons: readonly string[];
}

/** All that keeps the operator from working. It pauses as long as there is anything. */
@Injectable()
export class Pauses {
  private readonly blockers = new Map<string, string>();
  private readonly statuses = new BehaviorSubject<PauseStatus>({ paused: false, reasons: [] });

  get status(): PauseStatus {
    return this.statuses.value;
  }

  /** The status now, and its changes as they happen. */
  get status$(): Observable<PauseStatus> {
    return this.statuses.asObservable();
  }

  /** Emits whether the operator pauses: now, and at each change. */
  get paused$(): Observable<boolean> {
    return this.statuses.pipe(
      map(({ paused }) => paused),
      distinctUntilChanged(),
    );
  }

  /**
   * Makes the operator pause, or changes the reason.
   *
   * @param blocker identifies the cause, for {@link lift}.
   */
  set(blocker: string, reason: string): void {
    if (this.blockers.get(blocker) === reason) return;
    this.blockers.set(blocker, reason);
    this.publish();
  }

  /** Lets the operator work, as far as this blocker is concerned. */
  lift(blocker: string): void {
    if (this.blockers.delete(blocker)) this.publish();
  }

  /** Resolves as soon as the operator pauses. */
  async untilPaused(): Promise<void> {
    await firstValueFrom(this.paused$.pipe(filter(Boolean)));
  }

  private publish(): void {
    this.statuses.next({ paused: this.blockers.size > 0, reasons: [...this.blockers.values()] });
  }
}
