import { Store } from './store.js';

/** Milliseconds by which the clock of the server is ahead of that of the browser. */
let skew = 0;

/** The present time in milliseconds since the epoch, as the server sees it; it is updated once a second while the page is visible. */
export const present = new Store(Date.now());

/** Adjusts to the time in an answer of the server, so that “in 5 s” is right on a computer whose clock is wrong. */
export function adjustClock(serverTime: number): void {
  const difference = serverTime - Date.now();
  // Less is the way of the answer.
  if (Math.abs(difference - skew) > 1000) skew = difference;
  tick();
}

/** Reads the present time without waiting for the next second. */
export function readClock(): number {
  return Date.now() + skew;
}

/** Starts to update {@link present}. */
export function startClock(): void {
  setInterval(tick, 1000);
  document.addEventListener('visibilitychange', tick);
}

function tick(): void {
  if (!document.hidden) present.set(readClock());
}
