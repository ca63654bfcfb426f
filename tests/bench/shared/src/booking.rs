//! The nested input and the structured output.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `book` takes.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Booking {
    /// Who travels
    pub passenger: Passenger,
    /// The flights, in their order
    #[schemars(length(min = 1, max = 8))]
    pub legs: Vec<Leg>,
    /// Pieces of luggage
    #[schemars(range(max = 5))]
    pub bags: u8,
    /// What to eat
    pub meal: Option<Meal>,
}

/// Who travels.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Passenger {
    /// The name as in the passport
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// Years of age
    #[schemars(range(max = 130))]
    pub age: u8,
}

/// One flight.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Leg {
    /// Where it starts
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    pub from: String,
    /// Where it lands
    #[schemars(regex(pattern = "^[A-Z]{3}$"))]
    pub to: String,
    /// The day, counted from the first of the year
    #[schemars(range(min = 1, max = 366))]
    pub day: u16,
}

/// What to eat.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "they say it")]
pub enum Meal {
    Meat,
    Vegan,
}

/// What `book` gives.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
pub struct Ticket {
    /// What the passenger shows
    #[schemars(length(min = 1, max = 32))]
    pub reference: String,
    /// Who travels
    pub passenger: Passenger,
    /// The flights
    pub legs: Vec<Leg>,
    /// In cents
    pub price: u32,
}

/// Does what `book` does.
#[must_use]
pub fn book(booking: Booking) -> Ticket {
    let flights = u32::try_from(booking.legs.len()).unwrap_or(u32::MAX);
    let meal = booking.meal.map_or(0, |_meal| 1_500);
    Ticket {
        reference: format!("{}-{flights}", booking.passenger.age),
        price: flights * 12_000 + u32::from(booking.bags) * 3_000 + meal,
        passenger: booking.passenger,
        legs: booking.legs,
    }
}
