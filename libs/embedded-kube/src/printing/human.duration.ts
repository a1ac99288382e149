const MINUTE = 60;
const HOUR = 60;
const DAY = 24;
const YEAR = 365;

/**
 * Prints a duration with two or three significant figures, as kubectl's ages: `45s`, `3m20s`, `5h`, `2d3h`, `400d`, `3y10d`.
 *
 * @param milliseconds a duration; up to two seconds below zero count as now, as clocks differ
 */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  const minutes = Math.floor(seconds / MINUTE);
  if (minutes < 10) return withRest(minutes, 'm', seconds % MINUTE, 's');
  if (minutes < 3 * HOUR) return `${minutes}m`;
  const hours = Math.floor(minutes / HOUR);
  if (hours < 8) return withRest(hours, 'h', minutes % HOUR, 'm');
  if (hours < 2 * DAY) return `${hours}h`;
  const days = Math.floor(hours / DAY);
  if (days < 8) return withRest(days, 'd', hours % DAY, 'h');
  if (days < 2 * YEAR) return `${days}d`;
  const years = Math.floor(days / YEAR);
  return years < 8 ? withRest(years, 'y', days % YEAR, 'd') : `${years}y`;
}

function withRest(amount: number, unit: string, rest: number, restUnit: string): string {
  return rest ? `${amount}${unit}${rest}${restUnit}` : `${amount}${unit}`;
}
