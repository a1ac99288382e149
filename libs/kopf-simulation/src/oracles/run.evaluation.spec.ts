import { causeOf } from './run.evaluation.js';

describe('causeOf', () => {
  const cause = (message: string): string => causeOf({ check: 'final-state', message });

  it('should be the same for another value of a field', () => {
    expect(cause('ConfigMap default/a .data.size is "1" instead of "2"')).toBe(
      cause('ConfigMap default/a .data.size is absent instead of "2"'),
    );
  });

  it('should be the same for another number of times, or of objects', () => {
    expect(cause('ConfigMap default/a is created twice, and once without faults')).toBe(
      cause('ConfigMap default/a is created 3 times, and once without faults'),
    );
    expect(cause('Pod default/a-* #2 is missing')).toBe(cause('Pod default/a-* #3 is missing'));
  });

  it('should differ for other fields and objects', () => {
    expect(cause('ConfigMap default/a .data.size is "1" instead of "2"')).not.toBe(
      cause('ConfigMap default/a .data.name is "1" instead of "2"'),
    );
    expect(cause('Pod default/a is missing')).not.toBe(cause('Pod default/b is missing'));
  });
});
