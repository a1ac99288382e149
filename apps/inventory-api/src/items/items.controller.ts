import { Body, Controller, Get, HttpCode, Inject, Param, Put } from '@nestjs/common';
import type { Item } from './item.js';
import { ItemsService } from './items.service.js';

/** The API of the items, as it was before there was an operator. */
@Controller('items')
export class ItemsController {
  constructor(@Inject(ItemsService) private readonly items: ItemsService) {}

  @Get()
  findAll(): readonly Item[] {
    return this.items.findAll();
  }

  @Get(':id')
  findOne(@Param('id') id: string): Item {
    return this.items.findOne(id);
  }

  @Put(':id')
  @HttpCode(204)
  put(@Param('id') id: string, @Body() item: Omit<Item, 'id'>): void {
    this.items.put({ ...item, id });
  }
}
