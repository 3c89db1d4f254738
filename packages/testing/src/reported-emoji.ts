/**
 * Emoji as phones and other programs write reactions, in hexadecimal code points: fully qualified, without U+FE0F or
 * with some of them, in text style, keycaps, flags of countries, regions and US states, with skin tones, and of
 * Unicode 16 and 17, which the ICU of an older Node does not know.
 */
const CORPUS = `
  1f44d 2764-fe0f 1f602 1f62e 1f622 1f64f 1f44f 1f525 1f389 1f4af 1f600 1f937 1fae1 1fae0 1f979 1f9b0 263a-fe0f
  2714-fe0f 270c-fe0f 261d-fe0f 2b50 231a a9-fe0f 2122-fe0f 203c-fe0f 2139-fe0f 2194-fe0f 1f004 1f170-fe0f 3297-fe0f
  1f44d-1f3fd 1f44b-1f3ff 261d-1f3fb 270c-1f3fe 1f590-1f3fc 1faf6-1f3fd 1f937-1f3fe
  1f9d1-1f3fb-200d-1f91d-200d-1f9d1-1f3ff 1f937-200d-2642-fe0f 1f926-1f3fd-200d-2640-fe0f 1f9d1-200d-2695-fe0f
  1f469-1f3fe-200d-2696-fe0f 1f468-200d-2708-fe0f 1f575-fe0f-200d-2640-fe0f 1f575-1f3fb-200d-2642-fe0f
  2764-fe0f-200d-1f525 2764-fe0f-200d-1fa79 1f3f3-fe0f-200d-1f308 1f3f3-fe0f-200d-26a7-fe0f 1f3f4-200d-2620-fe0f
  1f642-200d-2194-fe0f 1f642-200d-2195-fe0f 1f636-200d-1f32b-fe0f 1f441-fe0f-200d-1f5e8-fe0f
  1f469-200d-2764-fe0f-200d-1f468 1f469-1f3fb-200d-2764-fe0f-200d-1f48b-200d-1f468-1f3ff 1f43b-200d-2744-fe0f
  26d3-fe0f-200d-1f4a5 1f468-200d-1f469-200d-1f467-200d-1f466 1f408-200d-2b1b 1f9d1-200d-1f680
  1f3cb-fe0f-200d-2642-fe0f 1f3cc-1f3fd-200d-2640-fe0f 26f9-fe0f-200d-2640-fe0f 1f9ce-200d-2642-fe0f-200d-27a1-fe0f
  1f6b6-1f3ff-200d-2640-fe0f-200d-27a1-fe0f 1f62e-200d-1f4a8 1f635-200d-1f4ab 1f9d1-200d-1f384 1f469-200d-1f9b0
  1f468-1f3ff-200d-1f9bd 1f9b8-1f3fc-200d-2642-fe0f 1f9dc-200d-2640-fe0f 1f9d1-200d-1f9d1-200d-1f9d2
  1f9d1-200d-1f9d2-200d-1f9d2 1f426-200d-2b1b 1f426-200d-1f525 1f344-200d-1f7eb 1f34b-200d-1f7e9
  1f46f-200d-2642-fe0f 1f93c-1f3fb-200d-2640-fe0f 1f482-1f3fd-200d-2642-fe0f 1f477-200d-2640-fe0f
  1faf1-1f3fb-200d-1faf2-1f3ff 1f1e9-1f1ea 1f1e7-1f1f7 1f1fa-1f1f8 1f1ea-1f1fa 1f1fa-1f1f3 1f1e8-1f1f6 1f3f4 1f3c1
  1f3f4-e0067-e0062-e0065-e006e-e0067-e007f 1f3f4-e0067-e0062-e0073-e0063-e0074-e007f
  1f3f4-e0067-e0062-e0077-e006c-e0073-e007f 1f3f4-e0075-e0073-e0074-e0078-e007f 1f3f4-e0075-e0073-e0063-e0061-e007f
  1f3f4-e0063-e0061-e0071-e0063-e007f 30-fe0f-20e3 31-fe0f-20e3 32-fe0f-20e3 33-fe0f-20e3 34-fe0f-20e3 35-fe0f-20e3
  36-fe0f-20e3 37-fe0f-20e3 38-fe0f-20e3 39-fe0f-20e3 23-fe0f-20e3 2a-fe0f-20e3 1fae9 1fac6 1fabe 1fadc 1fa89 1fa8f
  1fadf 1faea 1fa8e 1facd 1fac8 1fa8a 1f6d8 2764 263a 2714 270c 261d a9 2122 203c 2139 2194 1f170 3297
  1f937-200d-2642 1f926-1f3fd-200d-2640 1f9d1-200d-2695 1f469-1f3fe-200d-2696 1f468-200d-2708 1f575-200d-2640
  1f575-1f3fb-200d-2642 2764-200d-1f525 2764-200d-1fa79 1f3f3-200d-1f308 1f3f3-200d-26a7 1f3f4-200d-2620
  1f642-200d-2194 1f642-200d-2195 1f636-200d-1f32b 1f441-200d-1f5e8 1f469-200d-2764-200d-1f468
  1f469-1f3fb-200d-2764-200d-1f48b-200d-1f468-1f3ff 1f43b-200d-2744 26d3-200d-1f4a5 1f3cb-200d-2642
  1f3cc-1f3fd-200d-2640 26f9-200d-2640 1f9ce-200d-2642-200d-27a1 1f6b6-1f3ff-200d-2640-200d-27a1
  1f9b8-1f3fc-200d-2642 1f9dc-200d-2640 1f46f-200d-2642 1f93c-1f3fb-200d-2640 1f482-1f3fd-200d-2642 1f477-200d-2640
  30-20e3 31-20e3 32-20e3 33-20e3 34-20e3 35-20e3 36-20e3 37-20e3 38-20e3 39-20e3 23-20e3 2a-20e3
  1f575-fe0f-200d-2640 1f575-200d-2640-fe0f 1f3f3-fe0f-200d-26a7 1f3f3-200d-26a7-fe0f 1f441-fe0f-200d-1f5e8
  1f441-200d-1f5e8-fe0f 1f3cb-fe0f-200d-2642 1f3cb-200d-2642-fe0f 26f9-fe0f-200d-2640 26f9-200d-2640-fe0f
  1f9ce-200d-2642-fe0f-200d-27a1 1f9ce-200d-2642-200d-27a1-fe0f 1f6b6-1f3ff-200d-2640-fe0f-200d-27a1
  1f6b6-1f3ff-200d-2640-200d-27a1-fe0f 2764-fe0e 2714-fe0e 263a-fe0e a9-fe0e 260e-fe0e 31-fe0e-20e3 261d-fe0f-1f3fb
  1f590-fe0f-1f3fd
`;

/** About 200 emoji that a `message_reaction` may report, each of which can be sent as a reaction. */
export const reportedEmoji: readonly string[] = CORPUS.trim()
  .split(/\s+/)
  .map((codes) => String.fromCodePoint(...codes.split('-').map((code) => Number.parseInt(code, 16))));
