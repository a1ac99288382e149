import { readFindings } from './findings.file.js';

const EVENT = { number: 1, time: 0.5, type: 'note', actor: { kind: 'user', name: 'user' }, text: 'something' };

describe('a dropped file', () => {
  it('should be a report with findings', () => {
    const finding = { check: 'convergence', message: 'ends elsewhere', timeline: [EVENT] };
    const report = { version: 1, findings: [finding, { timeline: [] }] };
    expect(readFindings(JSON.stringify(report))).toEqual([{ title: 'convergence: ends elsewhere', events: [EVENT] }]);
    expect(readFindings(JSON.stringify(finding))).toHaveLength(1);
  });

  it('should be a list of events', () => {
    expect(readFindings(JSON.stringify([EVENT]))).toEqual([{ title: 'Events', events: [EVENT] }]);
  });

  it.each([
    ['no JSON', '<html>', 'is not JSON'],
    ['a report without findings', '{"findings":[]}', 'has no findings'],
    ['something else', '{"a":1}', 'holds no event log'],
    ['events without texts', '[{"number":1}]', 'holds no event log'],
    ['nothing', 'null', 'holds no event log'],
  ])('should be refused if it is %s', (_, text, message) => {
    expect(() => readFindings(text)).toThrow(message);
  });
});
