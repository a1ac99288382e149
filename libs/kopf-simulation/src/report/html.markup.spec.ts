import { markup } from './html.markup.js';

describe('markup', () => {
  it.each([
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['" onmouseover="alert(1)', '&quot; onmouseover=&quot;alert(1)'],
    ["' autofocus onfocus='alert(1)", '&#39; autofocus onfocus=&#39;alert(1)'],
    ['&lt;b&gt;', '&amp;lt;b&amp;gt;'],
    ['</p><!--', '&lt;/p&gt;&lt;!--'],
  ])('should escape %j', (value, escaped) => {
    expect(String(markup`<p title="${value}">${value}</p>`)).toBe(`<p title="${escaped}">${escaped}</p>`);
  });

  it('should put pieces and lists of them in as they are', () => {
    const items = ['a', '<b>'].map((item) => markup`<li>${item}</li>`);
    expect(String(markup`<ul>${items}</ul>${undefined}${3}`)).toBe('<ul><li>a</li><li>&lt;b&gt;</li></ul>3');
  });

  it('should not take backslashes in templates for escapes', () => {
    expect(String(markup`<p>${'C:\\n'}</p>`)).toBe('<p>C:\\n</p>');
  });
});
