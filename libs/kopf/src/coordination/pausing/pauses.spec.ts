import { Pauses } from './pauses.js';

describe('Pauses', () => {
  it('should last as long as anybody wants it', () => {
    const pauses = new Pauses();
    const seen: boolean[] = [];
    pauses.paused$.subscribe((paused) => seen.push(paused));
    pauses.set('one', 'the first reason');
    pauses.set('two', 'the second reason');
    expect(pauses.status).toEqual({ paused: true, reasons: ['the first reason', 'the second reason'] });
    pauses.lift('one');
    pauses.lift('one');
    expect(pauses.status).toEqual({ paused: true, reasons: ['the second reason'] });
    pauses.lift('two');
    expect(pauses.status).toEqual({ paused: false, reasons: [] });
    expect(seen).toEqual([false, true, false]);
  });

  it('should tell of new reasons, but not of the same again', () => {
    const pauses = new Pauses();
    const seen: string[] = [];
    pauses.status$.subscribe(({ reasons }) => seen.push(reasons.join()));
    pauses.set('one', 'a');
    pauses.set('one', 'a');
    pauses.set('one', 'b');
    expect(seen).toEqual(['', 'a', 'b']);
  });

  it('should be possible to wait for', async () => {
    const pauses = new Pauses();
    const waiting = pauses.untilPaused();
    pauses.set('one', 'a');
    await waiting;
    await pauses.untilPaused();
  });
});
