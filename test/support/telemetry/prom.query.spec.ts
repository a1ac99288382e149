import { parseExposition } from './exposition.js';
import { ScrapeHistory } from './prom.query.js';

const HEAD = '# HELP requests Requests.\n# TYPE requests counter\n';
const scrape = (...lines: string[]): string => `${HEAD}${lines.map((line) => `requests${line}\n`).join('')}`;

describe('The queries on scrapes', () => {
  const history = new ScrapeHistory();
  history.add(0, scrape('{code="200"} 10', '{code="500"} 1'));
  history.add(60, scrape('{code="200"} 40', '{code="500"} 1'));
  history.add(120, scrape('{code="200"} 5', '{code="500"} 4', '{code="404"} 9'));

  it.each([
    ['requests', 3],
    ['requests{code="200"}', 1],
    ['requests{code!="200"}', 2],
    ['requests{code=~"4..|5.."} > 4', 1],
    ['requests{code!~"4.."} <= 5', 2],
    ['increase(requests{code="200"}[5m]) == 35', 1],
    ['rate(requests{code="500"}[5m]) == 0.01', 1],
    ['increase(requests{code="404"}[5m])', 0],
    ['increase(requests{code="500"}[1m]) > 0', 0],
    ['sum(requests) == 18', 1],
    ['max by (code) (requests) >= 5', 2],
    ['count(requests > 4) == 2', 1],
    ['nothing', 0],
  ])('should evaluate %s', (expression, count) => {
    expect(history.evaluate(expression, 120)).toHaveLength(count);
  });

  it.each(['requests +', 'requests[5m]', 'increase(requests)', 'requests{code}', 'requests >', '> 5'])(
    'should not guess what %s means',
    (expression) => {
      expect(() => history.evaluate(expression, 120)).toThrow('is not understood');
    },
  );

  it('should fire when the expression has held for long enough, and take no notice of old samples', () => {
    expect(history.fires('requests{code="200"} > 9', 60, 60)).toBe(true);
    expect(history.fires('requests{code="200"} > 9', 60, 120)).toBe(false);
    expect(history.fires('requests{code="404"} > 0', 60, 120)).toBe(false);
    expect(history.evaluate('requests', 500)).toEqual([]);
  });
});

describe('The parser of scrapes', () => {
  it.each([
    ['no end of line', `${HEAD}requests 1`],
    ['no type', '# HELP requests Requests.\nrequests 1\n'],
    ['another name', `${HEAD}request 1\n`],
    ['a wrong label', scrape('{code=200} 1')],
    ['a wrong escape', scrape('{code="\\x"} 1')],
    ['a label that comes twice', scrape('{a="1",a="2"} 1')],
    ['a series that comes twice', scrape('{a="1"} 1', '{a="1"} 2')],
    ['no number', scrape(' one')],
    ['a negative counter', scrape(' -1')],
    ['an exemplar where there can be none', '# HELP g G.\n# TYPE g gauge\ng 1 # {a="b"} 1 1\n'],
    [
      'buckets that do not add up',
      '# HELP h H.\n# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n',
    ],
    ['no bucket of all', '# HELP h H.\n# TYPE h histogram\nh_bucket{le="1"} 1\nh_sum 1\nh_count 1\n'],
  ])('should reject %s', (_, text) => {
    expect(() => parseExposition(text)).toThrow();
  });

  it('should take what is right', () => {
    expect(parseExposition(scrape('{code="a\\"b\\n",x=""} 1.5e3'))).toEqual([
      {
        name: 'requests',
        help: 'Requests.',
        type: 'counter',
        samples: [{ name: 'requests', labels: { code: 'a"b\n', x: '' }, value: 1500 }],
      },
    ]);
  });
});
