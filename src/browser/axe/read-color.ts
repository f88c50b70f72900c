import {
  A98RGB,
  ColorSpace,
  LCH,
  Lab,
  OKLCH,
  OKLab,
  P3,
  P3_Linear,
  parse,
  ProPhoto,
  REC_2020,
  sRGB,
  sRGB_Linear,
  XYZ_D50,
  XYZ_D65,
} from 'colorjs.io/fn';

/*
 * Runs in the page, in the place of the whole of Color.js that axe-core brings along, which is a fifth
 * of its source. It is the same version of it, and the same steps.
 */

/** Those in which browsers write computed colours: https://drafts.csswg.org/css-color/#serializing-color-values */
const computedSpaces = [
  A98RGB,
  LCH,
  Lab,
  OKLCH,
  OKLab,
  P3,
  P3_Linear,
  ProPhoto,
  REC_2020,
  sRGB,
  sRGB_Linear,
  XYZ_D50,
  XYZ_D65,
];
for (const space of computedSpaces) ColorSpace.register(space);

/** In sRGB, clipped to what it can show; each from 0 to 1. */
export type Channels = readonly [r: number, g: number, b: number, alpha: number];

/** Throws for a text that is no computed colour. */
export function readColor(text: string): Channels {
  const { spaceId, coords, alpha } = parse(text);
  const space = ColorSpace.get(spaceId);
  const shown = space.to(sRGB, coords);
  const clipped = sRGB.inGamut(shown, { epsilon: 0 }) ? coords : sRGB.to(space, clip(shown));
  const [r, g, b] = space.to(sRGB, clipped);
  return [r ?? 0, g ?? 0, b ?? 0, alpha ?? 0];
}

function clip(coords: (number | null)[]): [number, number, number] {
  const [r, g, b] = coords.map((value) => Math.min(Math.max(0, value ?? 0), 1));
  return [r ?? 0, g ?? 0, b ?? 0];
}
