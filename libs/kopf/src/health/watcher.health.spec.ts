import type { WatchReading } from '../inspection/operator.readings.js';
import { evaluateLiveness, evaluateSync } from './watcher.health.js';

const NOW = 1_000_000;

function watcher(state: string, more: Partial<WatchReading> = {}): WatchReading {
  const resource = { resource: 'deployments.apps', kind: 'Deployment' };
  return { state, since: 0, restarts: 0, objects: 0, ...resource, namespace: 'ns', ...more };
}

describe('The life of watchers', () => {
  const evaluate = (state: string, more: Partial<WatchReading> = {}, since = 0) =>
    evaluateLiveness([watcher(state, more)], { now: NOW, since, limit: 60 }).status;
  const long = NOW - 61_000;
  const lately = NOW - 59_000;

  it.each<[string, string, Partial<WatchReading>, number, string]>([
    ['watches and hears', 'watching', { lastEventAt: lately }, 0, 'up'],
    ['is silent', 'watching', { lastEventAt: long }, 0, 'down'],
    ['was silent, but is connected again', 'watching', { lastEventAt: long, since: lately }, 0, 'up'],
    ['tries in vain for long', 'backingOff', { lastEventAt: long, since: lately }, 0, 'down'],
    ['tries in vain since lately', 'backingOff', { lastEventAt: lately }, 0, 'up'],
    ['lists for long', 'listing', { lastEventAt: long, since: lately }, 0, 'down'],
    ['lists after a pause', 'listing', { lastEventAt: long, since: lately }, lately, 'up'],
    ['never heard anything', 'listing', {}, 0, 'up'],
    ['is forbidden', 'forbidden', { lastEventAt: long }, 0, 'up'],
    ['is for what has gone', 'gone', { lastEventAt: long }, 0, 'up'],
    ['pauses', 'paused', { lastEventAt: long }, 0, 'up'],
    ['has ended', 'stopped', { lastEventAt: lately }, 0, 'down'],
  ])('should be right for one that %s', (_what, state, more, since, status) => {
    expect(evaluate(state, more, since)).toBe(status);
  });

  it('should name those to blame', () => {
    const watchers = [watcher('stopped'), watcher('watching', { lastEventAt: long, namespace: undefined })];
    expect(evaluateLiveness(watchers, { now: NOW, since: 0, limit: 60 })).toEqual({
      status: 'down',
      total: 2,
      dead: ['deployments.apps in ns'],
      silent: ['deployments.apps: nothing for 61 seconds'],
    });
  });
});

describe('The synchrony of watchers', () => {
  it.each<[string, boolean, string]>([
    ['idle', true, 'down'],
    ['listing', true, 'down'],
    ['listing', false, 'up'],
    ['watching', true, 'up'],
    ['backingOff', false, 'degraded'],
    ['forbidden', true, 'degraded'],
    ['gone', false, 'degraded'],
    ['paused', false, 'up'],
  ])('should be right for one that is %s (starting: %s)', (state, isStarting, status) => {
    expect(evaluateSync([watcher(state)], isStarting).status).toBe(status);
  });

  it('should say what is wrong', () => {
    const report = evaluateSync([watcher('forbidden', { error: 'no right' })], false);
    expect(report.impaired).toEqual(['deployments.apps in ns: forbidden, no right']);
  });
});
