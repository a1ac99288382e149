import { fitLine, type LinearFit } from './linear.fit.js';

/** The cost of one kind of work at several numbers of objects. */
export interface CostSeries {
  readonly name: string;
  /** Numbers of objects with the processor time for all of them, in milliseconds. */
  readonly points: readonly (readonly [size: number, cpu: number])[];
}

const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [720, 400, 70, 20, 180, 45];
const COLORS = ['#2563eb', '#c2410c', '#15803d', '#7e22ce'];

/** Draws the processor time over the number of objects as SVG, with the fitted lines. */
export function drawCosts(series: readonly CostSeries[]): string {
  const all = series.flatMap(({ points }) => points);
  const [most, highest] = [Math.max(...all.map(([size]) => size)), Math.max(...all.map(([, cpu]) => cpu))];
  const x = (size: number): number => LEFT + (size / most) * (WIDTH - LEFT - RIGHT);
  const y = (cpu: number): number => HEIGHT - BOTTOM - (cpu / highest) * (HEIGHT - TOP - BOTTOM);
  const text = (at: number, height: number, content: string, rest = ''): string =>
    `<text x="${at.toFixed(1)}" y="${height.toFixed(1)}" ${rest}>${content}</text>`;
  const lines = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
    `<path d="M${LEFT} ${y(highest * share)}H${WIDTH - RIGHT}" stroke="#8886"/>`,
    text(LEFT - 8, y(highest * share) + 4, `${((highest * share) / 1000).toFixed(1)} s`, 'text-anchor="end"'),
    text(x(most * share), HEIGHT - BOTTOM + 18, Math.round(most * share).toLocaleString('en'), 'text-anchor="middle"'),
  ]);
  const curves = series.flatMap(({ name, points }, index) => {
    const fit = fitLine(points);
    const color = COLORS[index % COLORS.length];
    const end = fit.constant + fit.slope * most;
    return [
      `<path d="M${x(0)} ${y(Math.max(0, fit.constant))}L${x(most)} ${y(end)}" stroke="${color}" fill="none"/>`,
      ...points.map(([size, cpu]) => `<circle cx="${x(size)}" cy="${y(cpu)}" r="4" fill="${color}"/>`),
      text(WIDTH - RIGHT + 10, y(end) + 4, `${name}: ${describe(fit)}`, `fill="${color}"`),
    ];
  });
  const size = `viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}"`;
  const style = 'font-family="sans-serif" font-size="12" fill="#888"';
  const axis = text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, 'objects', 'text-anchor="middle"');
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${style}>\n${[...lines, ...curves, axis].join('\n')}\n</svg>\n`;
}

function describe({ slope }: LinearFit): string {
  return `${(slope * 1000).toFixed(0)} µs each`;
}
