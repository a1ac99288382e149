import { SchedulerRegistry } from '@nestjs/schedule';
import type { ServedApi } from './served.api.js';

/** The tests that the API had before there was an operator: they know nothing of clusters, and are the same with it and without. */
export function testRest(served: () => ServedApi): void {
  const desk = { title: 'Desk', quantity: 1, warehouse: 'south' };

  it('should let only requests with the key in', async () => {
    const message = 'The header x-api-key is missing or wrong.';
    expect(await served().send('GET', '/api/items', undefined, 'wrong')).toMatchObject({
      status: 401,
      body: { message },
    });
    expect((await served().sendOpenly('GET', '/api/items')).status).toBe(401);
    expect((await served().sendOpenly('POST', '/api/reports')).status).toBe(401);
  });

  it('should keep items', async () => {
    expect(await served().send('PUT', '/api/items/desk', desk)).toEqual({ status: 204, body: undefined });
    expect(await served().send('GET', '/api/items/desk')).toEqual({ status: 200, body: { id: 'desk', ...desk } });
    expect((await served().send('PUT', '/api/items/desk', { ...desk, quantity: 2 })).status).toBe(204);
    expect(await served().send('GET', '/api/items')).toEqual({
      status: 200,
      body: [{ id: 'desk', ...desk, quantity: 2 }],
    });
    expect((await served().send('DELETE', '/api/items/desk')).status).toBe(204);
    expect(await served().send('GET', '/api/items')).toEqual({ status: 200, body: [] });
  });

  it('should say that there is no such item', async () => {
    const message = "There is no item 'lamp'.";
    expect(await served().send('GET', '/api/items/lamp')).toMatchObject({ status: 404, body: { message } });
  });

  it('should check what it is sent', async () => {
    const answer = await served().send('PUT', '/api/items/debt', { title: '', quantity: -1, warehouse: 'south' });
    const message = ['title should not be empty', 'quantity must not be less than 0'];
    expect(answer).toMatchObject({ status: 400, body: { message } });
    const { quantity: _, ...rest } = desk;
    expect((await served().send('PUT', '/api/items/stool', { ...rest, colour: 'red' })).status).toBe(204);
    expect((await served().send('GET', '/api/items/stool')).body).toEqual({ id: 'stool', ...rest, quantity: 0 });
    await served().send('DELETE', '/api/items/stool');
  });

  it('should report what is in stock, on demand and every night', async () => {
    await served().send('PUT', '/api/items/desk', desk);
    const taken = await served().send('POST', '/api/reports');
    expect(taken).toMatchObject({ status: 201, body: { items: 1, quantity: 1, time: expect.any(String) } });
    await served().send('PUT', '/api/items/desk', { ...desk, quantity: 3 });
    const stocktaking = served().app.get(SchedulerRegistry).getCronJob('stocktaking');
    expect(stocktaking.nextDate().toFormat('HH:mm')).toBe('00:00');
    await stocktaking.fireOnTick();
    const { body } = await served().send('GET', '/api/reports');
    expect(body.slice(-2)).toEqual([taken.body, expect.objectContaining({ items: 1, quantity: 3 })]);
    await served().send('DELETE', '/api/items/desk');
  });

  it('should be healthy as long as its database is', async () => {
    expect(await served().sendOpenly('GET', '/api/health')).toMatchObject({
      status: 200,
      body: { status: 'ok', info: { database: { status: 'up' } } },
    });
  });

  it('should be documented', async () => {
    const { body } = await served().sendOpenly('GET', '/api/docs-json');
    expect(body.paths).toMatchObject({
      '/api/items': { get: { security: [{ key: [] }] } },
      '/api/items/{id}': { get: {}, put: {}, delete: {} },
      '/api/reports': { get: {}, post: {} },
    });
    expect(Object.keys(body.components.schemas.ItemDto.properties)).toEqual(['title', 'quantity', 'warehouse']);
    expect((await served().sendOpenly('GET', '/api/docs')).status).toBe(200);
  });

  it('should be beneath its prefix', async () => {
    expect((await served().send('GET', '/items')).status).toBe(404);
  });
}
