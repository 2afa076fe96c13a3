//! The palette is readable, survives colour blindness and agrees with the style sheet.

use super::*;

const THEMES: [Theme; 2] = [Theme::Light, Theme::Dark];

/// How each kind of colour vision sees linear light (Machado, Oliveira, Fernandes 2009, severity 1.0).
const VISIONS: [(&str, [[f32; 3]; 3]); 4] = [
    (
        "normal",
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ),
    (
        "protanopia",
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ),
];

/// Contrast ratio of two colours as WCAG 2.2 defines it, 1 … 21.
fn contrast(a: Rgb, b: Rgb) -> f32 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Relative luminance as WCAG 2.2 defines it.
fn luminance(rgb: Rgb) -> f32 {
    let [r, g, b] = linear(rgb);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// Linear light of each channel (IEC 61966-2-1).
fn linear(Rgb(r, g, b): Rgb) -> [f32; 3] {
    [r, g, b].map(|channel| {
        let c = f32::from(channel) / 255.0;
        if c <= 0.04045 {
            c / 12.92
        } else {
            ((c + 0.055) / 1.055).powf(2.4)
        }
    })
}

fn times(m: &[[f32; 3]; 3], v: [f32; 3]) -> [f32; 3] {
    [0, 1, 2].map(|row| m[row].iter().zip(v).map(|(a, b)| a * b).sum())
}

/// Oklab (Ottosson 2020): distances in it are close to what an eye sees.
fn oklab(linear: [f32; 3]) -> [f32; 3] {
    let to_lms = [
        [0.412_221_5, 0.536_332_5, 0.051_446],
        [0.211_903_5, 0.680_699_5, 0.107_397],
        [0.088_302_5, 0.281_718_8, 0.629_978_7],
    ];
    let to_lab = [
        [0.210_454_3, 0.793_617_8, -0.004_072],
        [1.977_998_5, -2.428_592_2, 0.450_593_7],
        [0.025_904, 0.782_771_8, -0.808_675_8],
    ];
    times(&to_lab, times(&to_lms, linear).map(|x| x.max(0.0).cbrt()))
}

fn distance(vision: &[[f32; 3]; 3], a: Rgb, b: Rgb) -> f32 {
    let seen = |rgb| oklab(times(vision, linear(rgb)).map(|x| x.clamp(0.0, 1.0)));
    let (a, b) = (seen(a), seen(b));
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f32>().sqrt()
}

#[test]
fn data_colours_stay_apart_in_every_vision() {
    for theme in THEMES {
        let colours: Vec<Rgb> = (0..DATA_COLOURS)
            .map(|i| theme.rgb(Colour::Data(i)))
            .collect();
        for (name, vision) in &VISIONS {
            for i in 0..colours.len() {
                for j in 0..i {
                    let apart = distance(vision, colours[i], colours[j]);
                    assert!(
                        apart > 0.08,
                        "{theme:?} {name}: {j} and {i} are {apart} apart"
                    );
                }
            }
        }
    }
}

#[test]
fn the_two_sides_stay_apart_in_every_vision() {
    for theme in THEMES {
        let [a, b] = [RunSide::A, RunSide::B].map(|side| theme.rgb(Colour::Side(side)));
        for (name, vision) in &VISIONS {
            assert!(distance(vision, a, b) > 0.12, "{theme:?} {name}");
        }
    }
}

#[test]
fn text_is_readable_where_it_stands() {
    for theme in THEMES {
        let at = |colour| theme.rgb(colour);
        for text in [
            Colour::Ink,
            Colour::Mute,
            Colour::Side(RunSide::A),
            Colour::Side(RunSide::B),
        ] {
            for under in [Colour::Panel, Colour::Track] {
                let ratio = contrast(at(text), at(under));
                assert!(ratio >= 4.5, "{theme:?} {text:?} on {under:?}: {ratio}");
            }
        }
        for i in 0..DATA_COLOURS {
            let ratio = contrast(at(Colour::OnData(i)), at(Colour::Data(i)));
            assert!(ratio >= 4.5, "{theme:?} on data {i}: {ratio}");
            let best = ON_DATA.map(|ink| contrast(ink, at(Colour::Data(i))));
            assert!(
                ratio >= best[0].max(best[1]),
                "{theme:?} on data {i}: the other reads better"
            );
        }
    }
}

#[test]
fn what_carries_data_is_seen_on_its_ground() {
    for theme in THEMES {
        let at = |colour| theme.rgb(colour);
        assert!(
            contrast(at(Colour::Edge), at(Colour::Panel)) >= 3.0,
            "{theme:?} edges"
        );
        for i in 0..DATA_COLOURS {
            let ratio = contrast(at(Colour::Data(i)), at(Colour::Track));
            assert!(ratio >= 1.4, "{theme:?} data {i} on an empty lane: {ratio}");
        }
    }
}

#[test]
fn heat_goes_from_the_lane_to_the_side() {
    for theme in THEMES {
        for side in [RunSide::A, RunSide::B] {
            assert_eq!(theme.rgb(Colour::Heat(side, 0)), theme.rgb(Colour::Track));
            assert_eq!(
                theme.rgb(Colour::Heat(side, 255)),
                theme.rgb(Colour::Side(side))
            );
        }
    }
}
