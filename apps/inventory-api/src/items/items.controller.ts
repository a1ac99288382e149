import { Body, Controller, Delete, Get, HttpCode, Param, Put } from '@nestjs/common';
import { ApiOkResponse, ApiSecurity } from '@nestjs/swagger';
import { ItemDto } from './item.dto.js';
import { Item } from './item.entity.js';
import { ItemsService } from './items.service.js';

@ApiSecurity('key')
@Controller('items')
export class ItemsController {
  constructor(private readonly items: ItemsService) {}

  @Get()
  @ApiOkResponse({ type: [Item] })
  findAll(): Promise<Item[]> {
    return this.items.findAll();
  }

  @Get(':id')
  @ApiOkResponse({ type: Item })
  findOne(@Param('id') id: string): Promise<Item> {
    return this.items.findOne(id);
  }

  @Put(':id')
  @HttpCode(204)
  put(@Param('id') id: string, @Body() item: ItemDto): Promise<void> {
    return this.items.put(id, item);
  }

  @Delete(':id')
  @HttpCode(204)
  remove(@Param('id') id: string): Promise<void> {
    return this.items.remove(id);
  }
}
